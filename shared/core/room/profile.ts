/**
 * What a node has over time: what is free there now, and what comes and goes later.
 *
 * @module
 */
import { amountOf, type Resources, without } from "./fit.ts";

/** From when to when, in ms since the epoch; `to` may be Infinity. */
export interface Span {
  readonly from: number;
  readonly to: number;
}

/** From `at` on a node has so much more, or less. */
export interface Change {
  /** In ms since the epoch, now or later. */
  readonly at: number;
  readonly node: number;
  readonly requests: Resources;
  /** Below 0: it is taken. */
  readonly count: number;
  /** Whose room it is. */
  readonly id: string;
}

/** What a node has from then on, and which resources have become fewer. */
interface State {
  readonly at: number;
  readonly room: Resources;
  readonly taken: Resources | undefined;
  /** What it has had at every moment until after this. */
  readonly least: Resources;
}

/** What it has at every moment from one state to another. */
interface Stretch {
  readonly first: number;
  readonly end: number;
  readonly least: Resources;
}

/** So many changes searches went past, in all profiles. */
export interface Effort {
  steps: number;
}

/** Of one node; `now` is what is free there now, another object whenever that changes. */
export class Profile {
  /** When it begins, in ms since the epoch. */
  readonly #began: number;
  readonly #changes: Change[] = [];
  /** After each of its first changes, as far as was asked for. */
  readonly #states: State[] = [];
  #now: Resources | undefined;
  /** What was asked for last. */
  #known: Stretch | undefined;
  readonly #effort: Effort;

  constructor(began: number, effort: Effort) {
    this.#began = began;
    this.#effort = effort;
  }

  get isEmpty(): boolean {
    return this.#changes.length === 0;
  }

  /** What ends leaves its room before others take it. */
  add(change: Change): void {
    const at = placeFor(change.at, this.#changes, { isAfter: change.count < 0 });
    this.#changes.splice(at, 0, change);
    this.#forget(at);
  }

  remove(change: Change): void {
    const at = this.#changes.indexOf(change, placeFor(change.at, this.#changes));
    this.#changes.splice(at, 1);
    this.#forget(at);
  }

  /** Whose room comes at that time. */
  whoEnds(at: number): string | undefined {
    const changes = this.#changes;
    for (let index = placeFor(at, changes); changes[index]?.at === at; index++) {
      const { count, id } = changes[index]!;
      if (count > 0) return id;
    }
    return undefined;
  }

  /** What it has at every moment of that time. */
  least(now: Resources, span: Span): Resources {
    const states = this.#statesOn(now);
    if (!this.#known || !isFor(span, this.#known, states)) {
      const first = placeFor(span.from, states, { isAfter: true });
      const end = Math.max(first, placeFor(span.to, states));
      this.#known = { first, end, least: this.#leastOf(states, { now, first, end, span }) };
    }
    const { first, end, least } = this.#known;
    this.#effort.steps += 1 + end - first;
    return least;
  }

  /** More is taken at some time than it has. */
  isOverdrawn(now: Resources): boolean {
    return this.#statesOn(now).some(({ room, taken }) => {
      for (const resource of taken?.keys() ?? []) if (amountOf(room, resource) < 0) return true;
      return false;
    });
  }

  #leastOf(
    states: readonly State[],
    { now, first, end, span }: { now: Resources; first: number; end: number; span: Span },
  ): Resources {
    // What is taken at once is less from the beginning.
    if (span.from <= this.#began) return states[end - 1]?.least ?? now;
    let least = states[first - 1]?.room ?? now;
    for (let next = first; next < end; next++) least = lesser(least, states[next]!);
    return least;
  }

  #statesOn(now: Resources): readonly State[] {
    if (this.#now !== now) {
      this.#forget(0);
      this.#known = undefined;
      this.#now = now;
    }
    const states = this.#states;
    this.#effort.steps += this.#changes.length - states.length;
    while (states.length < this.#changes.length) {
      const { at, requests, count } = this.#changes[states.length]!;
      const before = states.at(-1) ?? { room: now, least: now };
      const room = without(before.room, requests, -count);
      const taken = count < 0 ? requests : undefined;
      states.push({ at, room, taken, least: lesser(before.least, { room, taken }) });
    }
    return states;
  }

  /** What it has after its first changes stays known. */
  #forget(changes: number): void {
    if (this.#states.length > changes) this.#states.length = changes;
    if (this.#known && this.#known.end > changes) this.#known = undefined;
  }
}

/** The place before the first item at that time, or after the last. */
export function placeFor(
  at: number,
  sorted: readonly { readonly at: number }[],
  { isAfter = false }: { isAfter?: boolean } = {},
): number {
  let [low, high] = [0, sorted.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    const other = sorted[middle]!.at;
    if (other < at || (isAfter && other === at)) low = middle + 1;
    else high = middle;
  }
  return low;
}

/** Whether a stretch is of that time. */
function isFor({ from, to }: Span, { first, end }: Stretch, states: readonly State[]): boolean {
  return (first === 0 || states[first - 1]!.at <= from) &&
    (first === states.length || states[first]!.at > from) &&
    (end === 0 || states[end - 1]!.at < to) && (end === states.length || states[end]!.at >= to);
}

/** Of each resource the smaller amount; only of those that are taken it may be another. */
function lesser(least: Resources, { room, taken }: Pick<State, "room" | "taken">): Resources {
  let lesser: Map<string, number> | undefined;
  for (const resource of taken?.keys() ?? []) {
    const amount = amountOf(room, resource);
    if (amount >= amountOf(lesser ?? least, resource)) continue;
    lesser ??= new Map(least);
    lesser.set(resource, amount);
  }
  return lesser ?? least;
}
