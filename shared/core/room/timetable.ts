/**
 * Free room over time, by node: what is free now, what becomes free when something ends, and what is kept for later.
 *
 * @module
 */
import { amountOf, fitting, type Resources, type Use } from "./fit.ts";
import type { Ground, Kind } from "./ground.ts";
import { type Amounts, type Chance, type Needed, Totals } from "./totals.ts";

/** Room that is taken. */
export type Taken = Pick<Use, "node" | "requests" | "count">;

/** For how long it is taken, in ms since the epoch; `to` may be Infinity. */
export interface Span {
  readonly from: number;
  readonly to: number;
}

/** From `at` on a node has so much more, or less. */
interface Change {
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
}

/** Room that is kept for later. */
export interface Booking extends Amounts {
  readonly changes: readonly Change[];
}

/** Whose room it is. */
interface Owned {
  readonly id: string;
  /** Nobody has looked whether there is as much. */
  readonly isUnchecked?: boolean;
}

/** Room that is taken from now on, until then, in ms since the epoch. */
export interface Taking extends Owned {
  readonly to: number;
}

/** What is looked for in time. */
export interface Seeking {
  /** For so long, in ms. */
  readonly length: number;
  /** Later starts are of no use, in ms since the epoch. */
  readonly latest: number;
  /** All members together ask for no less. */
  readonly amounts: Resources;
  /** Where all members have room there; nothing stays placed. */
  readonly place: (then: Ground) => readonly Use[] | undefined;
}

/** A start, and where there is room from then on. */
export interface Slot {
  readonly startsAt: number;
  readonly uses: readonly Use[];
}

/** Free room from now on. */
export class Timetable {
  /** What is free now, kept for somebody or not. */
  readonly free: Ground;
  readonly #now: number;
  /** By node, the first first. */
  readonly #changes = new Map<number, Change[]>();
  /** By node, of as many of its first changes as were asked for. */
  readonly #states = new Map<number, { now: Resources; states: State[] }>();
  /** When room that is kept is taken, the first first. */
  #begins: number[] = [];
  /** What is free until so many of them have begun. */
  readonly #windows = new Map<number, Ground>();
  readonly #totals: Totals;
  #steps = 0;

  constructor(free: Ground, now: number) {
    this.free = free;
    this.#now = now;
    this.#totals = new Totals(free);
  }

  /** So many times nodes were looked at: what searches have cost. */
  get steps(): number {
    return this.#steps;
  }

  /** Something that runs leaves its room then. */
  ends(uses: readonly Taken[], { id, at }: { id: string; at: number }): void {
    for (const { node, requests, count } of uses) {
      const number = this.free.numberOf(node);
      if (number !== undefined) this.#add({ at, node: number, requests, count, id });
    }
    this.#totals.comes(at, this.#amountsOf(uses));
  }

  /** What is free from now until then without a break; it follows what is taken until something else is kept. */
  until(to: number): Ground {
    const begun = this.#begins.findIndex((at) => at >= to);
    const index = begun < 0 ? this.#begins.length : begun;
    if (index === 0) return this.free;
    const known = this.#windows.get(index);
    if (known) return known;
    const window = this.free.fork();
    for (const node of this.#changes.keys()) {
      window.put(node, this.#least(node, this.#window(index)));
    }
    this.#windows.set(index, window);
    return window;
  }

  /** So many of a kind find room until then, if not what is kept for themselves is in their way. */
  roomUntil(kind: Kind, { to, own }: { to: number; own?: Booking | undefined }): number {
    if (!(this.#begins[0]! < to)) return this.free.roomFor(kind);
    const nodes = new Set(own?.changes.map(({ node }) => node));
    const span = { from: this.#now, to };
    return this.free.fullestFirst(kind).reduce((sum, node) => {
      const fits = this.free.fits(kind, node);
      if (nodes.has(node)) return sum + fits;
      return sum + Math.min(fits, fitting(kind.requests, this.#least(node, span)!));
    }, 0);
  }

  /** Takes room now, until then. */
  take(uses: readonly Taken[], { id, to, isUnchecked }: Taking): void {
    const nodes = new Set<number>();
    const amounts = this.#amountsOf(uses);
    this.#totals.take(amounts, { isUnchecked });
    if (to < Infinity) this.#totals.comes(to, amounts);
    for (const { node, requests, count } of uses) {
      const number = this.free.numberOf(node);
      if (number === undefined) continue;
      this.free.take(number, { requests }, count);
      if (to < Infinity) this.#add({ at: to, node: number, requests, count, id });
      nodes.add(number);
    }
    for (const [index, window] of this.#windows) {
      for (const node of nodes) window.put(node, this.#least(node, this.#window(index)));
    }
  }

  /** Whether room is free, and not kept, for that time. */
  has(uses: readonly Taken[], span: Span): boolean {
    const byNode = Map.groupBy(uses, ({ node }) => node);
    return [...byNode].every(([name, there]) => {
      const node = this.free.numberOf(name);
      if (node === undefined) return false;
      let room = this.#least(node, span);
      return there.every(({ requests, count }) => {
        if (!room || fitting(requests, room) < count) return false;
        room = without(room, requests, count);
        return true;
      });
    });
  }

  /** Keeps room for later, or from now on. */
  keep(uses: readonly Taken[], { id, from, to, isUnchecked }: Span & Owned): Booking {
    const changes = uses.flatMap(({ node: name, requests, count }) => {
      const node = this.free.numberOf(name);
      if (node === undefined) return [];
      const taken = { at: from, node, requests, count: -count, id };
      return to < Infinity ? [taken, { ...taken, at: to, count }] : [taken];
    });
    for (const change of changes) this.#add(change);
    const at = this.#begins.findIndex((begin) => begin >= from);
    if (at < 0) this.#begins.push(from);
    else this.#begins.splice(at, 0, from);
    this.#windows.clear();
    const booking = { from, to, amounts: this.#amountsOf(uses), changes };
    this.#totals.keep(booking, { isUnchecked });
    return booking;
  }

  /** Keeps it no longer. */
  cancel(booking: Booking): void {
    const { from, changes } = booking;
    for (const change of changes) {
      const there = this.#changes.get(change.node)!;
      const index = there.indexOf(change, placeFor(change.at, there));
      there.splice(index, 1);
      this.#forget(change.node, index);
      if (there.length === 0) this.#changes.delete(change.node);
    }
    this.#begins.splice(this.#begins.indexOf(from), 1);
    this.#windows.clear();
    this.#totals.cancel(booking);
  }

  /** Who leaves room on these nodes at that time. */
  whoEnds(uses: readonly Taken[], at: number): string | undefined {
    for (const { node } of uses) {
      const changes = this.#changes.get(this.free.numberOf(node) ?? -1) ?? [];
      for (let index = placeFor(at, changes); changes[index]?.at === at; index++) {
        const { count, id } = changes[index]!;
        if (count > 0) return id;
      }
    }
    return undefined;
  }

  /** The first start after now. Room comes only where something ends, so that no other times are tried. */
  earliest({ length, latest, amounts, place }: Seeking): Slot | undefined {
    let ground: Ground | undefined;
    let at = this.#now;
    for (;;) {
      this.#steps++;
      const next = this.#totals.next({ amounts, length, after: at });
      if (!next || next.at > latest) return undefined;
      at = next.at;
      ground ??= this.free.fork();
      for (const node of this.#changes.keys()) {
        ground.put(node, this.#least(node, { from: at, to: at + length }));
      }
      const uses = place(ground);
      if (uses) return { startsAt: at, uses };
    }
  }

  /** When there may be room before what is kept; undefined: there is none. */
  chanceBefore(
    booking: Booking,
    { length, amounts }: Pick<Needed, "length" | "amounts">,
  ): Chance | undefined {
    this.#steps++;
    const chance = this.#totals.next({ amounts, length, after: this.#now, own: booking });
    return chance && chance.at < booking.from ? chance : undefined;
  }

  /** Whether more is kept somewhere than is going to be there. If not, all that is kept counts as checked. */
  isOverdrawn(): boolean {
    const isOverdrawn = [...this.#changes].some(([node, changes]) => {
      const now = this.free.rooms[node];
      return now &&
        this.#statesOf(node, { now, changes }).some(({ room, taken }) =>
          taken && [...taken.keys()].some((resource) => amountOf(room, resource) < 0)
        );
    });
    if (!isOverdrawn) this.#totals.trust();
    return isOverdrawn;
  }

  #amountsOf(uses: readonly Taken[]): Resources {
    const sum = new Map<string, number>();
    for (const { node, requests, count } of uses) {
      if (this.free.numberOf(node) === undefined) continue;
      for (const [resource, amount] of requests) {
        sum.set(resource, (sum.get(resource) ?? 0) + count * amount);
      }
    }
    return sum;
  }

  /** What a node has at every moment of that time. */
  #least(node: number, { from, to }: Span): Resources | undefined {
    const now = this.free.rooms[node];
    const changes = this.#changes.get(node);
    if (!now || !changes) return now;
    const states = this.#statesOf(node, { now, changes });
    let next = placeFor(from, states, { isAfter: true });
    const first = next === 0 ? now : states[next - 1]!.room;
    let least: Map<string, number> | undefined;
    this.#steps++;
    for (; next < states.length && states[next]!.at < to; next++) {
      this.#steps++;
      const { room, taken } = states[next]!;
      for (const resource of taken?.keys() ?? []) {
        const amount = amountOf(room, resource);
        if (amount >= amountOf(least ?? first, resource)) continue;
        least ??= new Map(first);
        least.set(resource, amount);
      }
    }
    return least ?? first;
  }

  /** What a node has after each of its changes. */
  #statesOf(
    node: number,
    { now, changes }: { now: Resources; changes: readonly Change[] },
  ): readonly State[] {
    let known = this.#states.get(node);
    if (known?.now !== now) this.#states.set(node, known = { now, states: [] });
    const { states } = known;
    this.#steps += changes.length - states.length;
    for (let room = states.at(-1)?.room ?? now; states.length < changes.length;) {
      const { at, requests, count } = changes[states.length]!;
      room = without(room, requests, -count);
      states.push({ at, room, taken: count < 0 ? requests : undefined });
    }
    return states;
  }

  /** What a node has after its first changes stays known. */
  #forget(node: number, changes: number): void {
    const states = this.#states.get(node)?.states;
    if (states && states.length > changes) states.length = changes;
  }

  #window(index: number): Span {
    return { from: this.#now, to: this.#begins[index] ?? Infinity };
  }

  #add(change: Change): void {
    const there = this.#changes.get(change.node);
    if (there) this.#forget(change.node, insert(change, there));
    else this.#changes.set(change.node, [change]);
  }
}

/** What ends leaves its room before others take it; gives the place. */
function insert(change: Change, sorted: Change[]): number {
  const at = change.count > 0
    ? placeFor(change.at, sorted)
    : placeFor(change.at, sorted, { isAfter: true });
  sorted.splice(at, 0, change);
  return at;
}

/** The place before the first change at that time, or after the last. */
function placeFor(
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

/** What is left beside so many. */
function without(room: Resources, requests: Resources, count: number): Resources {
  const rest = new Map(room);
  for (const [resource, amount] of requests) {
    rest.set(resource, amountOf(room, resource) - count * amount);
  }
  return rest;
}
