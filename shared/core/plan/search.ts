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
import { callsPerChoice, Filling, looksPerStep, type Step } from "./filling.ts";
import { type Branch, isSound, keysOf, type Leaf, leavesOf, neededOf, type Part } from "./part.ts";
import type { Region } from "./regions.ts";
import { scarcestParts } from "./scarcity.ts";
import { mostTried, roomsFrom, sumOf } from "./spreading.ts";

/** A domain, and how many slices it has room for. */
interface Sliced {
  readonly nodes: readonly number[];
  readonly slices: number;
}

/** Whole slices that are still to be placed, and the domains that have room for some, those to be filled first before others. */
interface Slices {
  readonly choices: readonly Sliced[];
  readonly left: number;
  readonly next: () => boolean;
}

/** What a slice lacks of which some members have a place, and where. */
interface Begun {
  readonly nodes: readonly number[];
  readonly count: number;
}

/** To choose among domains, each with its room, costs so much for each node. */
const looksPerChoice = 3;
/** Each part may be placed so often, whatever the looks are: once as those before it let it, and once more. */
const goes = 2;

/** One search. What it places stays placed, on the ground too. */
export class Search extends Filling {
  /** Finds places for what a part needs, or places nothing. */
  place(part: Part, { region }: { region?: Region } = {}): boolean {
    this.begin(goes * this.#costOf(part, region));
    return this.#place(part, { region, next: () => true });
  }

  /** The same, and for what comes next. */
  #place(part: Part, { region, next }: Step): boolean {
    if (part.lack) return this.failed();
    const keys = keysOf(part);
    if (!this.spend(looksPerChoice * keys * this.nodesIn(region))) return false;
    if (neededOf(part) === 0) return next();
    const siblings = keys > 0 ? this.nodesOf(part) : [];
    for (const inside of this.regions.choices(part, { region, siblings })) {
      if (!this.spend()) return false;
      const step = { region: inside, next };
      if (part.is === "leaf" ? this.#leaf(part, step) : this.#parts(part, step)) return true;
    }
    return this.failed();
  }

  /** The same for a part of which nothing is placed yet, in no other places than these. */
  placeWithin(part: Part, { uses, region }: { uses: readonly Use[]; region: Region }): boolean {
    this.tighten(uses);
    const isPlaced = this.place(part, { region });
    this.loosened();
    return isPlaced;
  }

  /** What it costs to place each part in it once. */
  #costOf(part: Part, region: Region): number {
    const nodes = this.nodesIn(region);
    const own = looksPerStep + looksPerChoice * keysOf(part) * nodes;
    return part.is === "leaf"
      ? own + part.all.length * (looksPerStep + nodes)
      : own + sumOf(part.parts.map((each) => this.#costOf(each, region)));
  }

  /** Whether all that a part needs has a place; one that needs nothing is whole. */
  isWhole(part: Part): boolean {
    return this.placedOf(part.all) >= neededOf(part);
  }

  #parts(branch: Branch, { region, next }: Step): boolean {
    const { min } = branch;
    const isAll = min === branch.parts.length;
    const parts = isAll && this.rivals
      ? scarcestParts(branch.parts, { regions: this.regions, region })
      : branch.parts;
    const choose = (index: number, whole: number): boolean => {
      const part = parts[index];
      if (!part) return whole >= min && this.#others(branch, { region, next });
      const isWanted = whole < min && !(part.isBroken && !isAll);
      const others = () => choose(index + 1, whole + 1);
      if (isWanted && this.#place(part, { region, next: others })) return true;
      return whole + parts.length - index - 1 >= min && choose(index + 1, whole);
    };
    const leaves = leavesOf(branch).length;
    if (leaves <= mostTried) return choose(0, 0);
    return this.#straight({ ...branch, parts }, { region, next }) ||
      this.deeper(callsPerChoice * leaves, () => choose(0, 0));
  }

  /** Of very many parts one after another, none of which is placed otherwise for those after it. */
  #straight(branch: Branch, { region, next }: Step): boolean {
    const { parts, min } = branch;
    const mark = this.mark();
    let whole = 0;
    for (const part of parts) {
      const isWanted = whole < min && !(part.isBroken && min < parts.length);
      if (isWanted && this.#place(part, { region, next: () => true })) whole++;
    }
    if (whole >= min && this.#others(branch, { region, next })) return true;
    this.undoTo(mark);
    return this.failed();
  }

  /** Members that a gang needs beside those that its roles need; of a role that it can do without all, or none. */
  #others(branch: Branch, { region, next }: Step): boolean {
    const leaves = leavesOf(branch);
    const add = (index: number, left: number): boolean => {
      if (left <= 0 && isSound(branch, this)) return next();
      const leaf = leaves[index];
      if (!leaf) return this.failed();
      const fewest = Math.max(1, leaf.wanted - this.placedOf(leaf.all));
      const most = Math.min(Math.max(left, fewest), this.unplacedOf(leaf.all));
      for (let count = most; count >= 0; count--) {
        if (count > 0 && count < fewest) count = 0;
        const part = { ...leaf, needed: count };
        const others = () => add(index + 1, left - count);
        for (const within of this.#regionsOf(leaf, { root: branch, region })) {
          if (this.#place(part, { region: within, next: others })) return true;
          if (count === 0 || !this.spend()) break;
        }
      }
      return false;
    };
    return add(0, branch.members - this.placedOf(branch.all));
  }

  /** Where the members of a part may be: the first of {@linkcode #regionsOf}. */
  regionOf(below: Part, from: { root: Part; region?: Region }): Region {
    for (const region of this.#regionsOf(below, from)) return region;
    return [];
  }

  /**
   * Where the members of a part may be: beside the siblings of all that are above it, from `root` on. Where those that are to share a
   * domain have no sibling yet, in any one of those, the one first that has room for the most of it.
   */
  *#regionsOf(
    below: Part,
    { root, region }: { root: Part | undefined; region?: Region },
  ): Iterable<Region> {
    if (root === undefined || root === below) return yield region;
    const { topology } = root;
    const areas = this.regions.areas(below, { topology, region, siblings: this.nodesOf(root) });
    const next = childWith(root, below);
    for (const area of areas) yield* this.#regionsOf(below, { root: next, region: area });
  }

  #leaf(leaf: Leaf, { region, next }: Step): boolean {
    if (leaf.topology.slice) return this.#slices(leaf, { region, next });
    return this.members(leaf, { region, next, count: leaf.needed });
  }

  /** What slices lack that have begun, as far as it is needed. */
  begun(leaf: Leaf, region: Region): Begun[] {
    const { key, members } = leaf.topology.slice!;
    const siblings = new Map<number, number>();
    for (const node of this.nodesOf(leaf)) siblings.set(node, (siblings.get(node) ?? 0) + 1);
    let left = leaf.needed;
    return this.regions.domains(key, { topology: leaf.topology, region }).flatMap(({ nodes }) => {
      const there = nodes.reduce((sum, node) => sum + (siblings.get(node) ?? 0), 0) % members;
      const count = there === 0 ? 0 : Math.min(left, members - there);
      left -= count;
      return count === 0 ? [] : [{ nodes, count }];
    });
  }

  /** First what slices lack that have begun, then whole slices, in as few domains as possible, then the rest in one domain. */
  #slices(leaf: Leaf, { region, next }: Step): boolean {
    const { key, members } = leaf.topology.slice!;
    if (!this.spend(this.nodesIn(region))) return false;
    const domains = this.regions.domains(key, { topology: leaf.topology, region });
    const begun = this.begun(leaf, region);
    const left = leaf.needed - sumOf(begun.map(({ count }) => count));
    const rest = left % members;
    const last = () =>
      rest === 0
        ? next()
        : domains.some(({ nodes }) => this.members(leaf, { region: nodes, count: rest, next }));
    const wholes = () => {
      if (!this.spend(this.nodesIn(region))) return false;
      return this.#wholeSlices(leaf, { domains, left: (left - rest) / members, next: last });
    };
    if (begun.length <= mostTried) return this.#complete(leaf, begun, wholes);
    const mark = this.mark();
    const areWhole = begun.every(({ nodes, count }) =>
      this.members(leaf, { region: nodes, count, next: () => true })
    );
    if (areWhole && wholes()) return true;
    this.undoTo(mark);
    return this.failed();
  }

  /** What slices lack, one after another, each placed otherwise where nothing else leads on. */
  #complete(leaf: Leaf, [slice, ...others]: readonly Begun[], next: () => boolean): boolean {
    if (!slice) return next();
    const { nodes, count } = slice;
    const complete = () => this.#complete(leaf, others, next);
    return this.members(leaf, { region: nodes, count, next: complete });
  }

  /** So many slices, in the tightest domain that holds all of them, or in those first that hold the most. */
  #wholeSlices(
    leaf: Leaf,
    { domains, left, next }: {
      domains: readonly Pick<Sliced, "nodes">[];
      left: number;
      next: () => boolean;
    },
  ): boolean {
    const { members } = leaf.topology.slice!;
    const roomiest = domains.map(({ nodes }) => ({
      nodes,
      slices: Math.floor(this.regions.roomFor(leaf, nodes) / members),
    })).filter(({ slices }) => slices > 0).sort((a, b) => b.slices - a.slices);
    const tightest = roomiest.findLast(({ slices }) => slices >= left);
    const choices = tightest ? [tightest, ...roomiest.filter((one) => one !== tightest)] : roomiest;
    const rooms = roomsFrom(choices.map(({ slices }) => slices));
    return (rooms[0] ?? 0) >= left && this.#slicesStraight(leaf, { choices, left, next }) ||
      this.deeper(
        callsPerChoice * choices.length,
        () => this.#slicesAnyhow(leaf, { choices, rooms, left, next }),
      );
  }

  /** As many in each domain as it has room for. */
  #slicesStraight(leaf: Leaf, { choices, next, ...slices }: Slices): boolean {
    const mark = this.mark();
    let { left } = slices;
    for (const choice of choices) {
      if (left === 0) break;
      const count = Math.min(left, choice.slices);
      if (this.spend() && this.#someSlices(leaf, { choice, count, next: () => true })) {
        left -= count;
      }
    }
    if (left === 0 && next()) return true;
    this.undoTo(mark);
    return this.failed();
  }

  /** As many in each as leads on; `rooms` is what each domain has with those after it. */
  #slicesAnyhow(
    leaf: Leaf,
    { choices, left, rooms, next, index = 0 }: Slices & {
      rooms: readonly number[];
      index?: number;
    },
  ): boolean {
    if (left === 0) return next();
    if ((rooms[index] ?? 0) < left) return this.failed();
    const choice = choices[index]!;
    for (let count = Math.min(left, choice.slices); count >= 0; count--) {
      if (!this.spend()) return false;
      const rest = { choices, rooms, next, index: index + 1, left: left - count };
      const others = () => this.#slicesAnyhow(leaf, rest);
      if (this.#someSlices(leaf, { choice, count, next: others })) return true;
    }
    return false;
  }

  #someSlices(
    leaf: Leaf,
    { choice, count, next }: { choice: Sliced; count: number; next: () => boolean },
  ): boolean {
    const { members } = leaf.topology.slice!;
    return this.members(leaf, { region: choice.nodes, count: count * members, next });
  }
}

function childWith(part: Part, below: Part): Part | undefined {
  const isWithin = (one: Part): boolean =>
    one === below || (one.is === "branch" && one.parts.some(isWithin));
  return part.is === "branch" ? part.parts.find(isWithin) : undefined;
}
