/**
 * Looks for a node for each member that a gang group needs: all or nothing, parts with a topology in the tightest domain that
 * holds them, members on the fullest nodes.
 *
 * What comes first is placed first, and what leads nowhere is taken back: then the next domain is tried, or another part where
 * not all are needed. A thorough search tries other nodes for the same members, too. It finds a place wherever there is one, as
 * far as its steps reach: they are bounded, because it may take exponentially many.
 *
 * @module
 */
import { isAlike, joined, placeId, type Use } from "../room/fit.ts";
import type { Ground } from "../room/ground.ts";
import { type Alike, type Branch, type Leaf, leavesOf, neededOf, type Part } from "./part.ts";
import { type Region, type Regions, unknownNode } from "./regions.ts";

/** Members of one kind on a node. */
interface Seat {
  readonly alike: Alike;
  readonly node: number;
  readonly count: number;
  /** Of the ground, before they were placed. */
  readonly mark: number;
}

/** Where a part is placed, and whether what comes after was found as well. */
interface Step {
  readonly region: Region;
  readonly next: () => boolean;
}

/** Nodes that are looked at, until a search ends as if there was no place. */
const mostLooks = 500_000;
/** Nodes that are tried for members of one kind in a thorough search. */
const mostTried = 64;

/** How to search. */
export interface Searching {
  /** Other nodes are tried than those that are filled first. */
  readonly isThorough?: boolean;
  /** There are no other places than these, each once. */
  readonly within?: readonly Use[];
  /** Members of a part that were placed before. */
  readonly placed?: { readonly part: Part; readonly uses: readonly Use[] };
}

/** One search. What it places stays placed, on the ground too. */
export class Search {
  readonly #regions: Regions;
  readonly #ground: Ground;
  readonly #isThorough: boolean;
  /** So many more may be placed there, by {@linkcode placeId}. */
  #within: Map<string, number> | undefined;
  readonly #seats: Seat[] = [];
  /** So many seats were placed before. */
  #adopted = 0;
  #looks = 0;

  constructor(regions: Regions, { isThorough = false, within, placed }: Searching = {}) {
    this.#regions = regions;
    this.#ground = regions.ground;
    this.#isThorough = isThorough;
    this.#within = within && countsOf(within);
    if (placed) this.#adopt(placed);
  }

  /** The places that were found. */
  get uses(): Use[] {
    return joined(
      this.#seats.slice(this.#adopted).map(({ alike, node, count }) => {
        const { kind, role, gang, requests } = alike;
        const whose = { ...(role !== undefined && { role }), ...(gang !== undefined && { gang }) };
        return { node: this.#ground.nameOf(node), kind, requests, count, ...whose };
      }),
    );
  }

  /** Other places will do from now on. */
  loosened(): this {
    this.#within = undefined;
    return this;
  }

  /** Finds places for what a part needs, and for what comes next; or places nothing. */
  place(part: Part, { region, next = () => true }: Partial<Step> = {}): boolean {
    if (part.lack) return false;
    if (neededOf(part) === 0) return next();
    const siblings = this.nodesOf(part);
    for (const inside of this.#regions.choices(part, { region, siblings })) {
      this.#looks += inside?.length ?? this.#ground.size;
      if (this.#looks > mostLooks) return false;
      const step = { region: inside, next };
      if (part.is === "leaf" ? this.#leaf(part, step) : this.#parts(part, step)) return true;
    }
    return false;
  }

  /** The same for a part of which nothing is placed yet, in no other places than these. */
  placeWithin(part: Part, { uses, region }: { uses: readonly Use[]; region: Region }): boolean {
    this.#within = countsOf(uses);
    const isPlaced = this.place(part, { region });
    this.#within = undefined;
    return isPlaced;
  }

  /** The nodes of a part's members, one entry each; also of those that were placed here. */
  nodesOf({ placed, all }: Part): readonly number[] {
    const nodes = placed.map((name) => this.#ground.numberOf(name) ?? unknownNode);
    for (const { alike, node, count } of this.#seats) {
      if (all.includes(alike)) nodes.push(...Array<number>(count).fill(node));
    }
    return nodes;
  }

  /** Whether all that a part needs has a place; one that needs nothing is whole. */
  isWhole(part: Part): boolean {
    return part.all.reduce((sum, alike) => sum + alike.count - this.unplaced(alike), 0) >=
      neededOf(part);
  }

  /** So many members of a kind are without a place. */
  unplaced(alike: Alike): number {
    return this.#seats.reduce(
      (left, seat) => seat.alike === alike ? left - seat.count : left,
      alike.count,
    );
  }

  /** So many members of a kind were placed on the node. */
  placedOn(alike: Alike, node: number): number {
    return this.#seats.reduce(
      (sum, seat) => seat.alike === alike && seat.node === node ? sum + seat.count : sum,
      0,
    );
  }

  /** Places so many members where they fill the nodes best, and gives how many found room. */
  fill(alike: Alike, { region, count }: { region: Region; count: number }): number {
    let left = count;
    for (const node of this.#ground.fullest(alike, region)) {
      if (left === 0) break;
      const fits = Math.min(left, this.#fits(alike, node));
      this.#seat(alike, node, fits);
      left -= fits;
    }
    return count - left;
  }

  /** Until here {@linkcode undoTo} takes back. */
  mark(): number {
    return this.#seats.length;
  }

  /** Takes back what was placed since the mark. */
  undoTo(seats: number): void {
    while (this.#seats.length > seats) {
      const { alike, node, count, mark } = this.#seats.pop()!;
      this.#ground.undoTo(mark);
      this.#limit(alike, node, count);
    }
  }

  #parts(branch: Branch, { region, next }: Step): boolean {
    const { parts, min } = branch;
    const choose = (index: number, whole: number): boolean => {
      const part = parts[index];
      if (!part) return whole >= min && this.#others(branch, { region, next });
      const isWanted = whole < min && !(part.isBroken && min < parts.length);
      const others = () => choose(index + 1, whole + 1);
      if (isWanted && this.place(part, { region, next: others })) return true;
      return whole + parts.length - index - 1 >= min && choose(index + 1, whole);
    };
    return choose(0, 0);
  }

  /** Members that a gang needs beside those that its roles need. */
  #others(branch: Branch, { region, next }: Step): boolean {
    const leaves = leavesOf(branch);
    const add = (index: number, left: number): boolean => {
      if (left <= 0) return next();
      const leaf = leaves[index];
      if (!leaf) return false;
      const unplaced = leaf.all.reduce((sum, alike) => sum + this.unplaced(alike), 0);
      const within = this.regionOf(leaf, { root: branch, region });
      for (let count = Math.min(left, unplaced); count >= 0; count--) {
        const others = () => add(index + 1, left - count);
        if (this.place({ ...leaf, needed: count }, { region: within, next: others })) return true;
      }
      return false;
    };
    const placed = branch.all.reduce((sum, alike) => sum + alike.count - this.unplaced(alike), 0);
    return add(0, branch.members - placed);
  }

  /**
   * Where the members of a part may be beside the siblings of all that are above it, from `root` on; where those that are to
   * share a domain have none yet, in the one that has room for the most of it.
   */
  regionOf(below: Part, { root, region }: { root: Part; region?: Region }): Region {
    let within = region;
    for (let part: Part | undefined = root; part && part !== below; part = childWith(part, below)) {
      const siblings = this.nodesOf(part);
      const bounds = this.#regions.bounds(part.topology, { region: within, siblings });
      if (!bounds) continue;
      within = siblings.length > 0
        ? bounds.flatMap(({ nodes }) => nodes)
        : this.#regions.roomiest(below, bounds);
    }
    return within;
  }

  #leaf(leaf: Leaf, { region, next }: Step): boolean {
    if (leaf.topology.slice) return this.#slices(leaf, { region, next });
    return this.#members(leaf, { region, next, count: leaf.needed });
  }

  /** What slices lack of which some members have a place, as far as it is needed, and where. */
  begun(leaf: Leaf, region: Region): { nodes: readonly number[]; count: number }[] {
    const { key, members } = leaf.topology.slice!;
    const siblings = new Map<number, number>();
    for (const node of this.nodesOf(leaf)) siblings.set(node, (siblings.get(node) ?? 0) + 1);
    let left = leaf.needed;
    return this.#regions.domains(key, { topology: leaf.topology, region }).flatMap(({ nodes }) => {
      const there = nodes.reduce((sum, node) => sum + (siblings.get(node) ?? 0), 0) % members;
      const count = there === 0 ? 0 : Math.min(left, members - there);
      left -= count;
      return count === 0 ? [] : [{ nodes, count }];
    });
  }

  /** First those that slices lack which have begun, then whole slices, in as few domains as possible, then the rest. */
  #slices(leaf: Leaf, { region, next }: Step): boolean {
    const { key, members } = leaf.topology.slice!;
    const domains = this.#regions.domains(key, { topology: leaf.topology, region });
    const begun = this.begun(leaf, region);
    const left = leaf.needed - begun.reduce((sum, { count }) => sum + count, 0);
    const rest = left % members;
    const complete = (index: number): boolean => {
      const slice = begun[index];
      if (!slice) return wholes((left - rest) / members);
      const others = () => complete(index + 1);
      return this.#members(leaf, { region: slice.nodes, count: slice.count, next: others });
    };
    const wholes = (count: number): boolean => {
      const choices = domains.map(({ nodes }) => ({
        nodes,
        slices: Math.floor(this.#regions.roomFor(leaf, nodes) / members),
      })).filter(({ slices }) => slices > 0).sort((a, b) => b.slices - a.slices);
      const tightest = choices.findLast(({ slices }) => slices >= count);
      return spread(
        [...(tightest ? [tightest] : []), ...choices.filter((one) => one !== tightest)],
        count,
      );
    };
    const spread = (
      choices: { nodes: readonly number[]; slices: number }[],
      left: number,
    ): boolean => {
      if (left === 0) return last();
      const [choice, ...others] = choices;
      if (!choice || choices.reduce((sum, { slices }) => sum + slices, 0) < left) return false;
      for (let count = Math.min(left, choice.slices); count >= 0; count--) {
        const rest = () => spread(others, left - count);
        const step = { region: choice.nodes, count: count * members, next: rest };
        if (this.#members(leaf, step)) return true;
      }
      return false;
    };
    const last = () =>
      rest === 0
        ? next()
        : domains.some(({ nodes }) => this.#members(leaf, { region: nodes, count: rest, next }));
    return complete(0);
  }

  /** So many members of a leaf: the largest kinds first, or the smallest where there are more than are needed. */
  #members(leaf: Leaf, step: Step & { count: number }): boolean {
    if (this.#kinds(leaf.all, step)) return true;
    const isChoice = leaf.all.reduce((sum, alike) => sum + this.unplaced(alike), 0) > step.count;
    return isChoice && leaf.all.length > 1 && this.#kinds(leaf.all.toReversed(), step);
  }

  #kinds(kinds: readonly Alike[], { region, next, count }: Step & { count: number }): boolean {
    if (count === 0) return next();
    const [alike, ...others] = kinds;
    if (!alike) return false;
    this.#looks += region?.length ?? this.#ground.size;
    const unplaced = this.unplaced(alike);
    const least = count - others.reduce((sum, other) => sum + this.unplaced(other), 0);
    const most = Math.min(count, unplaced, this.#ground.roomFor(alike, region));
    for (let some = most; some >= Math.max(0, least); some--) {
      const rest = () => this.#kinds(others, { region, next, count: count - some });
      if (this.#alike(alike, { region, next: rest, count: some })) return true;
      if (!this.#isThorough || this.#looks > mostLooks) return false;
    }
    return false;
  }

  #alike(alike: Alike, { region, next, count }: Step & { count: number }): boolean {
    const mark = this.#seats.length;
    if (!this.#isThorough) {
      if (this.fill(alike, { region, count }) === count && next()) return true;
      this.undoTo(mark);
      return false;
    }
    const nodes = this.#ground.fullestFirst(alike, region).slice(0, mostTried);
    const spread = (index: number, left: number): boolean => {
      if (left === 0) return next();
      const node = nodes[index];
      if (node === undefined || ++this.#looks > mostLooks) return false;
      for (let some = Math.min(left, this.#fits(alike, node)); some >= 0; some--) {
        const mark = this.#seats.length;
        this.#seat(alike, node, some);
        if (spread(index + 1, left - some)) return true;
        this.undoTo(mark);
      }
      return false;
    };
    return spread(0, count);
  }

  #fits(alike: Alike, node: number): number {
    const fits = this.#ground.fits(alike, node);
    return this.#within ? Math.min(fits, this.#within.get(this.#idOf(alike, node)) ?? 0) : fits;
  }

  #adopt({ part, uses }: { part: Part; uses: readonly Use[] }): void {
    for (const { node: name, count, ...use } of uses) {
      const alike = part.all.find((one) => isAlike(one, use));
      const node = this.#ground.numberOf(name);
      if (!alike || node === undefined) continue;
      this.#adopted = this.#seats.push({ alike, node, count, mark: this.#ground.mark() });
    }
  }

  #seat(alike: Alike, node: number, count: number): void {
    if (count <= 0) return;
    this.#seats.push({ alike, node, count, mark: this.#ground.mark() });
    this.#ground.take(node, alike, count);
    this.#limit(alike, node, -count);
  }

  #limit(alike: Alike, node: number, more: number): void {
    const id = this.#within && this.#idOf(alike, node);
    if (id !== undefined) this.#within!.set(id, (this.#within!.get(id) ?? 0) + more);
  }

  #idOf(alike: Alike, node: number): string {
    return placeId({ ...alike, node: this.#ground.nameOf(node) });
  }
}

/** How many there are of each, by {@linkcode placeId}. */
function countsOf(uses: readonly Use[]): Map<string, number> {
  return new Map(uses.map((use) => [placeId(use), use.count]));
}

function childWith(part: Part, below: Part): Part | undefined {
  const isWithin = (one: Part): boolean =>
    one === below || (one.is === "branch" && one.parts.some(isWithin));
  return part.is === "branch" ? part.parts.find(isWithin) : undefined;
}
