/**
 * How much all nodes together have over time, at the most: where even that is too little nobody has to look at nodes.
 *
 * @module
 */
import { amountOf, isExclusive, type Resources } from "./fit.ts";

/** So much of each resource, from `from` until `to`, in ms since the epoch; `to` may be Infinity. */
export interface TimedAmounts {
  readonly from: number;
  readonly to: number;
  readonly amounts: Resources;
}

/** What is looked for: so much for so long. */
export interface Needed {
  readonly amounts: Resources;
  /** In ms. */
  readonly length: number;
  /** Only later starts count, in ms since the epoch. */
  readonly after: number;
  /** What is kept for whoever looks: it is not in their way. */
  readonly own?: TimedAmounts | undefined;
}

/** When there may be room. */
export interface Chance {
  /** In ms since the epoch. */
  readonly at: number;
  /** Of some resource there is only so much more than is needed, at some time. */
  readonly spare: number;
}

/** How it is taken. */
interface HowTaken {
  /** Nobody has looked whether there is as much. */
  readonly isUnchecked?: boolean | undefined;
}

/** What comes or goes, by time. */
interface Row {
  now: number;
  readonly changes: number[];
}

/** Of the total: sums beyond 2⁵³ are rounded. */
const rounding = 1e-9;

/** Sums over all nodes, made when they are asked for first. */
export class Totals {
  readonly #free: { readonly rooms: Iterable<Resources | undefined> };
  /** What has happened before. */
  #before: (() => void)[] | undefined = [];
  /** When anything changes, the first first. */
  readonly #times: number[] = [];
  /** By time, so many times room comes. */
  readonly #coming: number[] = [];
  readonly #rows = new Map<string, Row>();
  /** What is kept though nobody has looked whether there is as much. */
  readonly #unchecked = new Set<TimedAmounts>();
  /** So much of what is taken, or kept, may not be there. */
  readonly #debt = new Map<string, number>();

  constructor(free: { readonly rooms: Iterable<Resources | undefined> }) {
    this.#free = free;
  }

  /** Room comes then, in ms since the epoch. */
  comes(at: number, amounts: Resources): void {
    this.#note(() => {
      this.#add({ from: at, to: Infinity, amounts }, 1);
      this.#coming[this.#indexOf(at)]!++;
    });
  }

  /** Room has been taken now. */
  take(amounts: Resources, { isUnchecked }: HowTaken): void {
    if (isUnchecked) this.#owe(amounts, 1);
    if (this.#before) return;
    for (const [resource, amount] of amounts) {
      if (!isExclusive(resource)) this.#rowOf(resource).now -= amount;
    }
  }

  /** Room is kept. */
  keep(kept: TimedAmounts, { isUnchecked }: HowTaken): void {
    if (isUnchecked) {
      this.#unchecked.add(kept);
      this.#owe(kept.amounts, 1);
    }
    this.#note(() => {
      this.#add(kept, -1);
      if (kept.to < Infinity) this.#coming[this.#indexOf(kept.to)]!++;
    });
  }

  /** It is kept no longer. */
  cancel(kept: TimedAmounts): void {
    this.#check(kept);
    this.#note(() => {
      this.#add(kept, 1);
      if (kept.to < Infinity) this.#coming[this.#indexOf(kept.to)]!--;
    });
  }

  /** What is kept is there. */
  trust(): void {
    for (const kept of this.#unchecked) this.#check(kept);
  }

  /** The first time at which room comes and from which on there may be as much as is needed. */
  next({ amounts, length, after, own }: Needed): Chance | undefined {
    this.#begin();
    if (own) this.#add(own, 1);
    const rows = [...amounts].flatMap(([resource, asks]) => {
      if (isExclusive(resource)) return [];
      const { now, changes } = this.#rowOf(resource);
      const slack = amountOf(this.#debt, resource) + rounding * Math.abs(now);
      return [{ asks, has: now + slack, changes }];
    });
    let start: number | undefined = undefined;
    let spare = Infinity;
    for (let index = 0; index < this.#times.length; index++) {
      const at = this.#times[index]!;
      if (start !== undefined && at >= start + length) break;
      let least = Infinity;
      for (const row of rows) {
        row.has += row.changes[index]!;
        least = Math.min(least, row.has - row.asks);
      }
      if (least < 0) start = undefined;
      else if (start === undefined && at > after && this.#coming[index]! > 0) {
        start = at;
        spare = least;
      } else spare = Math.min(spare, least);
    }
    if (own) this.#add(own, -1);
    return start === undefined ? undefined : { at: start, spare };
  }

  #begin(): void {
    if (!this.#before) return;
    for (const room of this.#free.rooms) {
      for (const [resource, amount] of room ?? []) {
        if (!isExclusive(resource)) this.#rowOf(resource).now += Math.max(0, amount);
      }
    }
    for (const happen of this.#before) happen();
    this.#before = undefined;
  }

  #note(happen: () => void): void {
    if (this.#before) this.#before.push(happen);
    else happen();
  }

  #check(kept: TimedAmounts): void {
    if (this.#unchecked.delete(kept)) this.#owe(kept.amounts, -1);
  }

  #owe(amounts: Resources, sign: 1 | -1): void {
    for (const [resource, amount] of amounts) {
      this.#debt.set(resource, (this.#debt.get(resource) ?? 0) + sign * amount);
    }
  }

  /** There is more by so much, or (with a `sign` of -1) less. */
  #add({ from, to, amounts }: TimedAmounts, sign: 1 | -1): void {
    const begin = this.#indexOf(from);
    const end = to < Infinity ? this.#indexOf(to) : undefined;
    for (const [resource, amount] of amounts) {
      if (isExclusive(resource)) continue;
      const { changes } = this.#rowOf(resource);
      changes[begin]! += sign * amount;
      if (end !== undefined) changes[end]! -= sign * amount;
    }
  }

  #rowOf(resource: string): Row {
    const known = this.#rows.get(resource);
    if (known) return known;
    const none = { now: 0, changes: this.#times.map(() => 0) };
    this.#rows.set(resource, none);
    return none;
  }

  #indexOf(at: number): number {
    let [low, high] = [0, this.#times.length];
    while (low < high) {
      const middle = (low + high) >> 1;
      if (this.#times[middle]! < at) low = middle + 1;
      else high = middle;
    }
    if (this.#times[low] === at) return low;
    this.#times.splice(low, 0, at);
    this.#coming.splice(low, 0, 0);
    for (const { changes } of this.#rows.values()) changes.splice(low, 0, 0);
    return low;
  }
}
