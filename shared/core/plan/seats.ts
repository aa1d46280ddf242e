/**
 * Members that are placed one after another, and taken back in reverse order.
 *
 * @module
 */
import { isAlike, joined, placeId, type Use } from "../room/fit.ts";
import type { Ground } from "../room/ground.ts";
import { type Alike, type Part, useOf } from "./part.ts";
import { type Region, unknownNode } from "./regions.ts";

/** Members of one kind on a node; of a count below 0 so many have moved from there. */
interface Seat {
  readonly alike: Alike;
  readonly node: number;
  readonly count: number;
  /** They may be anywhere in it. */
  readonly region: Region;
  /** Of the ground, before they were placed. */
  readonly mark: number;
}

/** What is placed, on the ground too. */
export class Seats {
  protected readonly ground: Ground;
  /** So many more may be placed there, by {@linkcode placeId}. */
  #within: Map<string, number> | undefined;
  readonly #seats: Seat[] = [];
  /** So many members of a kind have a place. */
  readonly #placed = new Map<Alike, number>();
  /** So many seats were placed before. */
  #adopted = 0;

  constructor(ground: Ground) {
    this.ground = ground;
  }

  /** The places that were found. */
  get uses(): Use[] {
    return joined(
      this.#seats.slice(this.#adopted).map(({ alike, node, count }) =>
        useOf(alike, { node: this.ground.nameOf(node), count })
      ),
    ).filter(({ count }) => count > 0);
  }

  /** Other places will do from now on. */
  loosened(): this {
    this.#within = undefined;
    return this;
  }

  /** There are no other places than these from now on, each once. */
  protected tighten(uses: readonly Use[]): void {
    this.#within = new Map(uses.map((use) => [placeId(use), use.count]));
  }

  /** The nodes of a part's members, one entry each; also of those that were placed here. */
  nodesOf({ placed, all }: Part): readonly number[] {
    const nodes = placed.map((name) => this.ground.numberOf(name) ?? unknownNode);
    const counts = new Map<number, number>();
    for (const { alike, node, count } of this.#seats) {
      if (all.includes(alike)) counts.set(node, (counts.get(node) ?? 0) + count);
    }
    for (const [node, count] of counts) nodes.push(...Array<number>(count).fill(node));
    return nodes;
  }

  /** So many members of a kind are without a place. */
  unplaced(alike: Alike): number {
    return alike.count - (this.#placed.get(alike) ?? 0);
  }

  /** The same of several kinds. */
  unplacedOf(kinds: readonly Alike[]): number {
    return kinds.reduce((sum, alike) => sum + this.unplaced(alike), 0);
  }

  /** So many members of several kinds have a place. */
  placedOf(kinds: readonly Alike[]): number {
    return kinds.reduce((sum, alike) => sum + (this.#placed.get(alike) ?? 0), 0);
  }

  /** So many members of a kind were placed on the node. */
  placedOn(alike: Alike, node: number): number {
    return this.#seats.reduce(
      (sum, seat) => seat.alike === alike && seat.node === node ? sum + seat.count : sum,
      0,
    );
  }

  /**
   * Places so many members where they fill the nodes best, or on these in their order, and gives how many found room. Where a node
   * refused one more, so many as it took go to each before more do.
   */
  fill(
    alike: Alike,
    { region, count, nodes }: {
      region: Region;
      count: number;
      nodes?: readonly number[] | undefined;
    },
  ): number {
    let left = count;
    for (const most of new Set([alike.refused?.each ?? Infinity, Infinity])) {
      for (const node of nodes ?? this.ground.fullest(alike, region)) {
        if (left === 0) break;
        const fits = Math.min(left, most, this.fits(alike, node));
        this.seat(alike, { node, count: fits, region });
        left -= fits;
      }
    }
    return count - left;
  }

  /**
   * Finds room for one more member where others move aside for it, to where they have room or others move aside for them in turn;
   * each kind once.
   */
  protected squeeze(alike: Alike, region: Region, moved = new Set([alike])): boolean {
    if (this.fill(alike, { region, count: 1 }) > 0) return true;
    const mark = this.mark();
    for (const seat of this.#seats.slice(this.#adopted)) {
      const { alike: other, node } = seat;
      if (moved.has(other) || (region && !region.includes(node))) continue;
      if (!alike.mayRunOn(this.ground.nameOf(node)) || this.placedOn(other, node) === 0) continue;
      this.seat(other, { ...seat, count: -1 });
      if (this.fits(alike, node) > 0) {
        this.seat(alike, { node, region, count: 1 });
        if (this.squeeze(other, seat.region, moved.add(other))) return true;
      }
      this.undoTo(mark);
    }
    return false;
  }

  /** Until here {@linkcode undoTo} takes back. */
  mark(): number {
    return this.#seats.length;
  }

  /** Takes back what was placed since the mark. */
  undoTo(seats: number): void {
    while (this.#seats.length > seats) {
      const { alike, node, count, mark } = this.#seats.pop()!;
      this.ground.undoTo(mark);
      this.#count(alike, -count);
      this.#limit(alike, node, count);
    }
  }

  /** So many more members of a kind may be placed on the node. */
  protected fits(alike: Alike, node: number): number {
    const fits = Math.min(this.ground.fits(alike, node), this.#more(alike, node));
    return this.#within ? Math.min(fits, this.#within.get(this.#idOf(alike, node)) ?? 0) : fits;
  }

  /** So many more the scheduler takes there, as far as it has said; those that are alike in all gangs of the group count. */
  #more({ kind, most }: Alike, node: number): number {
    const taken = most?.(this.ground.nameOf(node)) ?? Infinity;
    if (taken === Infinity) return Infinity;
    const there = this.#seats.filter((seat) => seat.node === node && seat.alike.kind === kind);
    return there.reduce((more, { count }) => more - count, taken);
  }

  /** Places so many members of a kind on a node of the region, or, with a count below 0, takes them from there. */
  protected seat(
    alike: Alike,
    { node, count, region }: Pick<Seat, "node" | "count" | "region">,
  ): void {
    if (count === 0) return;
    this.#seats.push({ alike, node, count, region, mark: this.ground.mark() });
    this.ground.take(node, alike, count);
    this.#count(alike, count);
    this.#limit(alike, node, -count);
  }

  /** Members of a part that were placed before. */
  protected adopt({ part, uses }: { part: Part; uses: readonly Use[] }): void {
    for (const { node: name, count, ...use } of uses) {
      const alike = part.all.find((one) => isAlike(one, use));
      const node = this.ground.numberOf(name);
      if (!alike || node === undefined) continue;
      const seat = { alike, node, count, region: undefined, mark: this.ground.mark() };
      this.#adopted = this.#seats.push(seat);
      this.#count(alike, count);
    }
  }

  #count(alike: Alike, more: number): void {
    this.#placed.set(alike, (this.#placed.get(alike) ?? 0) + more);
  }

  #limit(alike: Alike, node: number, more: number): void {
    const id = this.#within && this.#idOf(alike, node);
    if (id !== undefined) this.#within!.set(id, (this.#within!.get(id) ?? 0) + more);
  }

  #idOf(alike: Alike, node: number): string {
    return placeId({ ...alike, node: this.ground.nameOf(node) });
  }
}
