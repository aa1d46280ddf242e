/**
 * Free room over time, by node: what is free now, what becomes free when something ends, and what is kept for later.
 *
 * @module
 */
import { fitting, type Resources, type Use, without } from "./fit.ts";
import type { Ground, Kind } from "./ground.ts";
import { type Change, type Effort, placeFor, Profile, type Span } from "./profile.ts";
import { type Chance, type Needed, type TimedAmounts, Totals } from "./totals.ts";

/** Room that is taken. */
export type Taken = Pick<Use, "node" | "requests" | "count">;

/** Room that is kept for later. */
export interface Booking extends TimedAmounts {
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
  /** By node, of those that something comes to, or is kept on. */
  readonly #profiles = new Map<number, Profile>();
  /** When room that is kept is taken, the first first. */
  readonly #begins: { readonly at: number }[] = [];
  /** What is free until so many of them have begun. */
  readonly #windows = new Map<number, Ground>();
  readonly #totals: Totals;
  readonly #effort: Effort = { steps: 0 };

  constructor(free: Ground, now: number) {
    this.free = free;
    this.#now = now;
    this.#totals = new Totals(free);
  }

  /** So many times nodes were looked at: what searches have cost. */
  get steps(): number {
    return this.#effort.steps;
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
    const index = placeFor(to, this.#begins);
    if (index === 0) return this.free;
    const known = this.#windows.get(index);
    if (known) return known;
    const window = this.free.fork();
    for (const node of this.#profiles.keys()) {
      window.put(node, this.#least(node, this.#window(index)));
    }
    this.#windows.set(index, window);
    return window;
  }

  /** So many of a kind find room until then, if not what is kept for themselves is in their way. */
  roomUntil(kind: Kind, { to, own }: { to: number; own?: Booking | undefined }): number {
    if (!(this.#begins[0] && this.#begins[0].at < to)) return this.free.roomFor(kind);
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
    this.#begins.splice(placeFor(from, this.#begins), 0, { at: from });
    this.#windows.clear();
    const booking = { from, to, amounts: this.#amountsOf(uses), changes };
    this.#totals.keep(booking, { isUnchecked });
    return booking;
  }

  /** Keeps it no longer. */
  cancel(booking: Booking): void {
    const { from, changes } = booking;
    for (const change of changes) {
      const profile = this.#profiles.get(change.node)!;
      profile.remove(change);
      if (profile.isEmpty) this.#profiles.delete(change.node);
    }
    this.#begins.splice(placeFor(from, this.#begins), 1);
    this.#windows.clear();
    this.#totals.cancel(booking);
  }

  /** Who leaves room on these nodes at that time. */
  whoEnds(uses: readonly Taken[], at: number): string | undefined {
    for (const { node } of uses) {
      const id = this.#profiles.get(this.free.numberOf(node) ?? -1)?.whoEnds(at);
      if (id !== undefined) return id;
    }
    return undefined;
  }

  /** The first start after now. Room comes only where something ends, so that no other times are tried. */
  earliest({ length, latest, amounts, place }: Seeking): Slot | undefined {
    let ground: Ground | undefined;
    let at = this.#now;
    for (;;) {
      this.#effort.steps++;
      const next = this.#totals.next({ amounts, length, after: at });
      if (!next || next.at > latest) return undefined;
      at = next.at;
      ground ??= this.free.fork();
      for (const node of this.#profiles.keys()) {
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
    this.#effort.steps++;
    const chance = this.#totals.next({ amounts, length, after: this.#now, own: booking });
    return chance && chance.at < booking.from ? chance : undefined;
  }

  /** Whether more is kept somewhere than is going to be there. If not, all that is kept counts as checked. */
  isOverdrawn(): boolean {
    const isOverdrawn = [...this.#profiles].some(([node, profile]) => {
      const now = this.free.rooms[node];
      return now && profile.isOverdrawn(now);
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
  #least(node: number, span: Span): Resources | undefined {
    const now = this.free.rooms[node];
    return now && (this.#profiles.get(node)?.least(now, span) ?? now);
  }

  #window(index: number): Span {
    return { from: this.#now, to: this.#begins[index]?.at ?? Infinity };
  }

  #add(change: Change): void {
    let profile = this.#profiles.get(change.node);
    if (!profile) {
      profile = new Profile(this.#now, this.#effort);
      this.#profiles.set(change.node, profile);
    }
    profile.add(change);
  }
}
