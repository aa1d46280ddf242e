/**
 * Looks for a node for each member that a gang group needs: all or nothing, parts with a topology in the tightest domain that
 * holds them, members on the fullest nodes.
 *
 * What comes first is placed first, and what leads nowhere is taken back: then the next domain is tried, or another part where
 * not all are needed. Of members that might take each other's room, those that are placed move aside for others. A thorough
 * search tries other nodes for the same members, too; steps are bounded, because it may take exponentially many.
 *
 * @module
 */
import type { Use } from "../room/fit.ts";
import { Looks } from "./looks.ts";
import {
  type Alike,
  type Branch,
  isSound,
  keysOf,
  type Leaf,
  leavesOf,
  neededOf,
  type Part,
} from "./part.ts";
import type { Region, Regions } from "./regions.ts";
import { leastWanted, scarcestKinds, scarcestParts } from "./scarcity.ts";
import { Seats } from "./seats.ts";

/** Where a part is placed, and whether what comes after was found as well. */
interface Step {
  readonly region: Region;
  readonly next: () => boolean;
}

/** So many members of a leaf. */
interface Members extends Step {
  readonly count: number;
}

/** Nodes that are tried for members of one kind in a thorough search. */
const mostTried = 64;
/** Each step costs as much as a look at so many nodes, beside those that it looks at. */
const looksPerStep = 10;
/** To choose among domains, each with its room, costs so much for each node. */
const looksPerChoice = 3;
/** Each part may be placed so often, whatever the looks are: once as those before it let it, and once more. */
const goes = 2;
/** What all nodes have together, or one has for others, is known: that costs as much as a look at one of so many. */
const nodesPerLook = 10;

/** How to search. */
export interface Searching {
  /** Other nodes are tried than those that are filled first. */
  readonly isThorough?: boolean;
  /**
   * Members that might take each other's room: those that have the least to spare are placed first, each where the fewest others
   * could be. Absent: the largest, on the fullest nodes.
   */
  readonly rivals?: readonly Alike[];
  /** What is left to look at. */
  readonly looks?: Looks;
  /** There are no other places than these, each once. */
  readonly within?: readonly Use[];
  /** Members of a part that were placed before. */
  readonly placed?: { readonly part: Part; readonly uses: readonly Use[] };
}

/** One search. What it places stays placed, on the ground too. */
export class Search extends Seats {
  readonly #regions: Regions;
  readonly #isThorough: boolean;
  readonly #rivals: readonly Alike[] | undefined;
  readonly #looks: Looks;
  /** Something did not find room: what is looked at from then on counts. */
  #hasFailed = false;
  /** So much of that is no part of the looks. */
  #allowed = 0;
  /** Kinds for which others moved aside in vain: they do not again. */
  readonly #inVain = new Set<Alike>();

  constructor(
    regions: Regions,
    { isThorough = false, rivals, looks = new Looks(), within, placed }: Searching = {},
  ) {
    super(regions.ground);
    this.#regions = regions;
    this.#isThorough = isThorough;
    this.#rivals = rivals;
    this.#looks = looks;
    if (within) this.tighten(within);
    if (placed) this.adopt(placed);
  }

  /** Finds places for what a part needs, or places nothing. */
  place(part: Part, { region }: { region?: Region } = {}): boolean {
    this.#hasFailed = false;
    this.#allowed = goes * this.#costOf(part, region);
    return this.#place(part, { region, next: () => true });
  }

  /** The same, and for what comes next. */
  #place(part: Part, { region, next }: Step): boolean {
    if (part.lack) return this.#failed();
    const keys = keysOf(part);
    if (!this.#spend(looksPerChoice * keys * this.#nodesIn(region))) return false;
    if (neededOf(part) === 0) return next();
    const siblings = keys > 0 ? this.nodesOf(part) : [];
    for (const inside of this.#regions.choices(part, { region, siblings })) {
      if (!this.#spend()) return false;
      const step = { region: inside, next };
      if (part.is === "leaf" ? this.#leaf(part, step) : this.#parts(part, step)) return true;
    }
    return this.#failed();
  }

  /** The same for a part of which nothing is placed yet, in no other places than these. */
  placeWithin(part: Part, { uses, region }: { uses: readonly Use[]; region: Region }): boolean {
    this.tighten(uses);
    const isPlaced = this.place(part, { region });
    this.loosened();
    return isPlaced;
  }

  /**
   * Counts a step, and nodes that it looks at. What is found without a failure may look at all that it has to; what comes after
   * one may be placed as if it were the first, too, and is tried again as far as the looks reach.
   */
  #spend(nodes = 0): boolean {
    if (!this.#hasFailed) return true;
    const cost = looksPerStep + nodes;
    if (cost > this.#allowed) return this.#looks.spend(cost);
    this.#allowed -= cost;
    return true;
  }

  /** What it costs to place each part in it once. */
  #costOf(part: Part, region: Region): number {
    const nodes = this.#nodesIn(region);
    const own = looksPerStep + looksPerChoice * keysOf(part) * nodes;
    return part.is === "leaf"
      ? own + part.all.length * (looksPerStep + nodes)
      : own + sumOf(part.parts.map((each) => this.#costOf(each, region)));
  }

  #failed(): false {
    this.#hasFailed = true;
    return false;
  }

  #nodesIn(region: Region): number {
    return region?.length ?? this.ground.size;
  }

  /** Whether all that a part needs has a place; one that needs nothing is whole. */
  isWhole(part: Part): boolean {
    return this.placedOf(part.all) >= neededOf(part);
  }

  #parts(branch: Branch, { region, next }: Step): boolean {
    const { min } = branch;
    const isAll = min === branch.parts.length;
    const parts = isAll && this.#rivals
      ? scarcestParts(branch.parts, { regions: this.#regions, region })
      : branch.parts;
    const choose = (index: number, whole: number): boolean => {
      const part = parts[index];
      if (!part) return whole >= min && this.#others(branch, { region, next });
      const isWanted = whole < min && !(part.isBroken && !isAll);
      const others = () => choose(index + 1, whole + 1);
      if (isWanted && this.#place(part, { region, next: others })) return true;
      return whole + parts.length - index - 1 >= min && choose(index + 1, whole);
    };
    return choose(0, 0);
  }

  /** Members that a gang needs beside those that its roles need; of a role that it can do without all, or none. */
  #others(branch: Branch, { region, next }: Step): boolean {
    const leaves = leavesOf(branch);
    const add = (index: number, left: number): boolean => {
      if (left <= 0 && isSound(branch, this)) return next();
      const leaf = leaves[index];
      if (!leaf) return this.#failed();
      const within = this.regionOf(leaf, { root: branch, region });
      const fewest = Math.max(1, leaf.wanted - this.placedOf(leaf.all));
      const most = Math.min(Math.max(left, fewest), this.unplacedOf(leaf.all));
      for (let count = most; count >= 0; count--) {
        if (count > 0 && count < fewest) count = 0;
        const others = () => add(index + 1, left - count);
        if (this.#place({ ...leaf, needed: count }, { region: within, next: others })) return true;
      }
      return false;
    };
    return add(0, branch.members - this.placedOf(branch.all));
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
    if (!this.#spend(this.#nodesIn(region))) return false;
    const domains = this.#regions.domains(key, { topology: leaf.topology, region });
    const begun = this.begun(leaf, region);
    const left = leaf.needed - sumOf(begun.map(({ count }) => count));
    const rest = left % members;
    const complete = (index: number): boolean => {
      const slice = begun[index];
      if (!slice) return wholes((left - rest) / members);
      const others = () => complete(index + 1);
      return this.#members(leaf, { region: slice.nodes, count: slice.count, next: others });
    };
    const wholes = (count: number): boolean => {
      if (!this.#spend(this.#nodesIn(region))) return false;
      const choices = domains.map(({ nodes }) => ({
        nodes,
        slices: Math.floor(this.#regions.roomFor(leaf, nodes) / members),
      })).filter(({ slices }) => slices > 0).sort((a, b) => b.slices - a.slices);
      const tightest = choices.findLast(({ slices }) => slices >= count);
      const inOrder = [
        ...(tightest ? [tightest] : []),
        ...choices.filter((one) => one !== tightest),
      ];
      return spread(inOrder, {
        left: count,
        rooms: roomsFrom(inOrder.map(({ slices }) => slices)),
      });
    };
    const spread = (
      choices: readonly { nodes: readonly number[]; slices: number }[],
      { index = 0, left, rooms }: { index?: number; left: number; rooms: readonly number[] },
    ): boolean => {
      if (left === 0) return last();
      if ((rooms[index] ?? 0) < left) return this.#failed();
      const choice = choices[index]!;
      for (let count = Math.min(left, choice.slices); count >= 0; count--) {
        if (!this.#spend()) return false;
        const rest = () => spread(choices, { index: index + 1, left: left - count, rooms });
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

  /** So many members of a leaf: the first kinds first, or the last where there are more than are needed. */
  #members(leaf: Leaf, step: Members): boolean {
    const { region, count } = step;
    const kinds = this.#rivals && leaf.all.length > 1
      ? scarcestKinds(leaf.all, {
        regions: this.#regions,
        region,
        unplaced: (alike) => this.unplaced(alike),
      })
      : leaf.all;
    if (this.#kinds(kinds, step)) return true;
    const isChoice = kinds.length > 1 && this.unplacedOf(kinds) > count;
    return isChoice && this.#kinds(kinds.toReversed(), step);
  }

  #kinds(kinds: readonly Alike[], { region, next, count }: Members): boolean {
    const nodes = region?.length ?? Math.ceil(this.ground.size / nodesPerLook);
    if (!this.#spend(count === 0 ? 0 : nodes)) return false;
    if (count === 0) return next();
    const [alike, ...others] = kinds;
    if (!alike) return this.#failed();
    const least = Math.max(0, count - this.unplacedOf(others));
    const most = Math.min(count, this.unplaced(alike));
    const rest = (some: number) => this.#kinds(others, { region, next, count: count - some });
    if (this.#isThorough) {
      for (let some = Math.min(most, this.ground.roomFor(alike, region)); some >= least; some--) {
        if (this.#anyhow(alike, { region, next: () => rest(some), count: some })) return true;
        if (this.#looks.areOver) return false;
      }
      return this.#failed();
    }
    const mark = this.mark();
    const some = this.#straight(alike, { region, least, most });
    if (some >= least && rest(some)) return true;
    this.undoTo(mark);
    return this.#failed();
  }

  /** Places as many as find room, and of rivals as many as are needed if others move aside for them; none if these are too few. */
  #straight(
    alike: Alike,
    { region, least, most }: { region: Region; least: number; most: number },
  ): number {
    const isRival = this.#rivals && !this.#inVain.has(alike);
    if (!isRival && this.ground.roomFor(alike, region) < least) return 0;
    const nodes = this.#rivals && this.#nodesFor(alike, region);
    let placed = this.fill(alike, { region, count: most, nodes });
    if (!isRival || placed >= least) return placed;
    this.#failed();
    const cost = this.mark() + this.#nodesIn(region);
    while (placed < least && this.#spend(cost) && this.squeeze(alike, region)) placed++;
    if (placed < least) this.#inVain.add(alike);
    return placed;
  }

  /** Nodes that have room for a member, the first first. */
  #nodesFor(alike: Alike, region: Region): readonly number[] {
    const nodes = this.ground.fullestFirst(alike, region);
    const rivals = this.#rivals?.filter((other) => other !== alike && this.unplaced(other) > 0);
    const looks = (rivals?.length ?? 0) * nodes.length / nodesPerLook;
    return rivals && this.#looks.spend(looks)
      ? leastWanted(nodes, { rivals, ground: this.ground })
      : nodes;
  }

  /** Of very many nodes the first are filled, and others than the last of those that are needed are tried. */
  #anyhow(alike: Alike, { region, next, count }: Members): boolean {
    const nodes = this.#nodesFor(alike, region);
    if (!this.#spend(nodes.length)) return false;
    const fits = nodes.map((node) => this.fits(alike, node));
    const from = firstTried(fits, count);
    const rooms = roomsFrom(fits.slice(from, from + mostTried));
    const spread = (index: number, left: number): boolean => {
      if (left === 0) return next();
      if ((rooms[index] ?? 0) < left) return this.#failed();
      const node = nodes[from + index]!;
      const least = Math.max(0, left - (rooms[index + 1] ?? 0));
      for (let some = Math.min(left, fits[from + index]!); some >= least; some--) {
        if (!this.#spend()) return false;
        const mark = this.mark();
        this.seat(alike, { node, region, count: some });
        if (spread(index + 1, left - some)) return true;
        this.undoTo(mark);
      }
      return this.#failed();
    };
    const mark = this.mark();
    for (let at = 0; at < from; at++) {
      this.seat(alike, { node: nodes[at]!, region, count: fits[at]! });
    }
    if (spread(0, count - sumOf(fits.slice(0, from)))) return true;
    this.undoTo(mark);
    return false;
  }
}

/** From each on, so much have it and those after it together. */
function roomsFrom(each: readonly number[]): readonly number[] {
  const rooms = [...each];
  for (let index = rooms.length - 2; index >= 0; index--) rooms[index]! += rooms[index + 1]!;
  return rooms;
}

/** The first node that is tried where so many of a kind are to be placed: as many are tried as there are, or as may be. */
function firstTried(fits: readonly number[], count: number): number {
  let needed = 0;
  for (let left = count; left > 0 && needed < fits.length; needed++) left -= fits[needed]!;
  return Math.max(0, Math.min(needed - mostTried / 2, fits.length - mostTried));
}

function sumOf(numbers: readonly number[]): number {
  return numbers.reduce((sum, number) => sum + number, 0);
}

function childWith(part: Part, below: Part): Part | undefined {
  const isWithin = (one: Part): boolean =>
    one === below || (one.is === "branch" && one.parts.some(isWithin));
  return part.is === "branch" ? part.parts.find(isWithin) : undefined;
}
