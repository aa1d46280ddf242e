/**
 * Members of a leaf, placed kind by kind: straight on, or anyhow, as far as there are looks left and the stack reaches.
 *
 * @module
 */
import type { Use } from "../room/fit.ts";
import { Looks } from "./looks.ts";
import type { Alike, Leaf, Part } from "./part.ts";
import type { Region, Regions } from "./regions.ts";
import { leastWanted, scarcestKinds } from "./scarcity.ts";
import { Seats } from "./seats.ts";
import { firstTried, mostTried, roomsFrom, sumOf } from "./spreading.ts";

/** Where a part is placed, and whether what comes after was found as well. */
export interface Step {
  readonly region: Region;
  readonly next: () => boolean;
}

/** So many members of a leaf. */
interface Members extends Step {
  readonly count: number;
}

/** Each step costs as much as a look at so many nodes, beside those that it looks at. */
export const looksPerStep = 10;
/** What all nodes have together, or one has for others, is known: that costs as much as a look at one of so many. */
const nodesPerLook = 10;
/** So many calls may hang on each other where choices are taken back one by one: the stack holds some more. */
const mostCalls = 3000;
/** So many for each choice among kinds or domains. */
export const callsPerChoice = 8;

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

/** What is placed by one search, and what that has cost. */
export class Filling extends Seats {
  protected readonly regions: Regions;
  protected readonly rivals: readonly Alike[] | undefined;
  readonly #isThorough: boolean;
  readonly #looks: Looks;
  /** Something did not find room: what is looked at from then on counts. */
  #hasFailed = false;
  /** So much of that is no part of the looks. */
  #allowed = 0;
  /** So many calls hang on each other. */
  #calls = 0;
  /** Kinds for which others moved aside in vain: they do not again. */
  readonly #inVain = new Set<Alike>();

  constructor(
    regions: Regions,
    { isThorough = false, rivals, looks = new Looks(), within, placed }: Searching = {},
  ) {
    super(regions.ground);
    this.regions = regions;
    this.#isThorough = isThorough;
    this.rivals = rivals;
    this.#looks = looks;
    if (within) this.tighten(within);
    if (placed) this.adopt(placed);
  }

  /** Something else is looked for, for which so much may be looked at. */
  protected begin(allowed: number): void {
    this.#hasFailed = false;
    this.#allowed = allowed;
  }

  /**
   * Counts a step, and nodes that it looks at; whether that may be. Nothing counts before something has found no room. After that what
   * is allowed beside the looks is spent first, which is enough to place what comes as if it were the first; then the looks.
   */
  protected spend(nodes = 0): boolean {
    if (!this.#hasFailed) return true;
    const cost = looksPerStep + nodes;
    if (cost > this.#allowed) return this.#looks.spend(cost);
    this.#allowed -= cost;
    return true;
  }

  /** What takes choices back one by one, if that is not too deep. */
  protected deeper(calls: number, place: () => boolean): boolean {
    if (this.#calls + calls > mostCalls) return this.failed();
    this.#calls += calls;
    const isPlaced = place();
    this.#calls -= calls;
    return isPlaced;
  }

  protected failed(): false {
    this.#hasFailed = true;
    return false;
  }

  protected nodesIn(region: Region): number {
    return region?.length ?? this.ground.size;
  }

  /** So many members of a leaf: the first kinds first, or the last where there are more than are needed. */
  protected members(leaf: Leaf, step: Members): boolean {
    const { region, count } = step;
    const kinds = this.rivals && leaf.all.length > 1
      ? scarcestKinds(leaf.all, {
        regions: this.regions,
        region,
        unplaced: (alike) => this.unplaced(alike),
      })
      : leaf.all;
    if (this.#kinds(kinds, step)) return true;
    const isChoice = kinds.length > 1 && this.unplacedOf(kinds) > count;
    return isChoice && this.#kinds(kinds.toReversed(), step);
  }

  #kinds(kinds: readonly Alike[], step: Members): boolean {
    return this.#isThorough ? this.#kindsAnyhow(kinds, step) : this.#kindsStraight(kinds, step);
  }

  #nodesToSpend(region: Region): number {
    return region?.length ?? Math.ceil(this.ground.size / nodesPerLook);
  }

  #kindsStraight(kinds: readonly Alike[], { region, next, count }: Members): boolean {
    const rooms = roomsFrom(kinds.map((alike) => this.unplaced(alike)));
    const mark = this.mark();
    let left = count;
    for (const [at, alike] of kinds.entries()) {
      if (left === 0 || !this.spend(this.#nodesToSpend(region))) break;
      const least = Math.max(0, left - (rooms[at + 1] ?? 0));
      const some = this.#straight(alike, {
        region,
        least,
        most: Math.min(left, this.unplaced(alike)),
      });
      if (some < least) break;
      left -= some;
    }
    if (left === 0 && next()) return true;
    this.undoTo(mark);
    return this.failed();
  }

  #kindsAnyhow(kinds: readonly Alike[], { region, next, count }: Members): boolean {
    if (!this.spend(count === 0 ? 0 : this.#nodesToSpend(region))) return false;
    if (count === 0) return next();
    const [alike, ...others] = kinds;
    if (!alike) return this.failed();
    const least = Math.max(0, count - this.unplacedOf(others));
    const most = Math.min(count, this.unplaced(alike));
    const rest = (some: number) => this.#kindsAnyhow(others, { region, next, count: count - some });
    for (let some = Math.min(most, this.ground.roomFor(alike, region)); some >= least; some--) {
      if (this.#anyhow(alike, { region, next: () => rest(some), count: some })) return true;
      if (this.#looks.areOver) return false;
    }
    return this.failed();
  }

  /** Places as many as find room, and of rivals as many as are needed if others move aside for them; none if these are too few. */
  #straight(
    alike: Alike,
    { region, least, most }: { region: Region; least: number; most: number },
  ): number {
    const isRival = this.rivals && !this.#inVain.has(alike);
    if (!isRival && this.ground.roomFor(alike, region) < least) return 0;
    const nodes = this.rivals && this.#nodesFor(alike, region);
    let placed = this.fill(alike, { region, count: most, nodes });
    if (!isRival || placed >= least) return placed;
    this.failed();
    const cost = this.mark() + this.nodesIn(region);
    while (placed < least && this.spend(cost) && this.squeeze(alike, region)) placed++;
    if (placed < least) this.#inVain.add(alike);
    return placed;
  }

  /** Nodes that have room for a member, the first first. */
  #nodesFor(alike: Alike, region: Region): readonly number[] {
    const nodes = this.ground.fullestFirst(alike, region);
    const rivals = this.rivals?.filter((other) => other !== alike && this.unplaced(other) > 0);
    const looks = (rivals?.length ?? 0) * nodes.length / nodesPerLook;
    return rivals && this.#looks.spend(looks)
      ? leastWanted(nodes, { rivals, ground: this.ground })
      : nodes;
  }

  /** Of very many nodes the first are filled, and others than the last of those that are needed are tried. */
  #anyhow(alike: Alike, { region, next, count }: Members): boolean {
    const nodes = this.#nodesFor(alike, region);
    if (!this.spend(nodes.length)) return false;
    const fits = nodes.map((node) => this.fits(alike, node));
    const from = firstTried(fits, count);
    const rooms = roomsFrom(fits.slice(from, from + mostTried));
    const spread = (index: number, left: number): boolean => {
      if (left === 0) return next();
      if ((rooms[index] ?? 0) < left) return this.failed();
      const node = nodes[from + index]!;
      const least = Math.max(0, left - (rooms[index + 1] ?? 0));
      for (let some = Math.min(left, fits[from + index]!); some >= least; some--) {
        if (!this.spend()) return false;
        const mark = this.mark();
        this.seat(alike, { node, region, count: some });
        if (spread(index + 1, left - some)) return true;
        this.undoTo(mark);
      }
      return this.failed();
    };
    const mark = this.mark();
    for (let at = 0; at < from; at++) {
      this.seat(alike, { node: nodes[at]!, region, count: fits[at]! });
    }
    const left = count - sumOf(fits.slice(0, from));
    if (this.deeper(callsPerChoice + rooms.length, () => spread(0, left))) return true;
    this.undoTo(mark);
    return false;
  }
}
