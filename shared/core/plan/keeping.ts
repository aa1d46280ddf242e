/**
 * Room that is kept for gang groups that wait: from when it is going to be free, as far as it is known when others end; else from
 * now on, once they have been passed for long enough.
 *
 * @module
 */
import type { Ahead } from "../gang/facts.ts";
import type { Use } from "../room/fit.ts";
import { type Ground, groundOf, type Kind } from "../room/ground.ts";
import type { Span } from "../room/profile.ts";
import type { Booking, Timetable } from "../room/timetable.ts";
import type { Chance } from "../room/totals.ts";
import { type Demand, namespaceOf } from "./demand.ts";
import { lateRoomFor } from "./late_room.ts";
import type { Looks } from "./looks.ts";
import { leastAmounts, mayFit } from "./may_fit.ts";
import { neededOf, type Part, partOf } from "./part.ts";
import type { Reservation } from "./plan.ts";
import { Regions } from "./regions.ts";
import { reserveFor } from "./reserving.ts";
import type { Ending, Waiting, World } from "./world.ts";

/** What is kept while groups are planned one after another. */
export class Keeping {
  readonly #world: World;
  readonly #now: number;
  readonly #table: Timetable;
  /** Of groups behind that have been promised it, by id; of the same priority as those that are planned. */
  readonly #promised = new Map<string, Booking>();
  /** For so many groups room is kept from now on, by namespace. */
  readonly #protected = new Map<string, number>();
  /** What runs for longer than was expected, by canonical name. */
  readonly #overdue = new Set<string>();
  /** When the last of those is gone that leave already, in ms since the epoch. */
  #leavesAt = -Infinity;
  #level = Infinity;
  #reservations = 0;
  #capacity: Ground | undefined;
  #ahead: Ahead | undefined;
  #knowsEnds = false;

  constructor(world: World, { table, now }: { table: Timetable; now: number }) {
    this.#world = world;
    this.#table = table;
    this.#now = now;
  }

  /** Notes when what runs ends: nobody needs to know where all find room. */
  #noteEnds(): void {
    if (this.#knowsEnds) return;
    this.#knowsEnds = true;
    for (const { id, uses, ...ending } of this.#world.ending?.() ?? []) {
      const at = expectedEnd(ending, this.#now);
      if (ending.isLeaving) this.#leavesAt = Math.max(this.#leavesAt, at);
      else if (ending.endsAt <= this.#now) this.#overdue.add(id);
      this.#table.ends(uses, { id, at });
    }
  }

  /** The first group for which room is kept. */
  get ahead(): Ahead | undefined {
    return this.#ahead;
  }

  /**
   * Groups of this priority are next: what they were promised is kept from each other. A higher one has been planned without
   * it, so that it takes over what it needs.
   */
  level(priority: number): void {
    if (priority >= this.#level || this.#most <= 1) return;
    this.#level = priority;
    const promised = this.#world.waiting.filter((group) =>
      group.priority === priority && this.#now >= group.keepsUntil && group.reserved
    ).slice(0, this.#most - this.#reservations);
    if (promised.length > 0) this.#noteEnds();
    for (const group of promised) {
      const booking = this.#book(group, group.reserved!);
      this.#promised.set(group.id, booking);
      this.#goesAhead(group, group.shortSince ?? this.#now);
    }
    // What runs ends a little later than was planned, say: then all move, the first in the queue first.
    if (this.#table.isOverdrawn()) { for (const group of promised) this.#release(group); }
  }

  /** Whether a group might start now beside what is kept for others; if so, what it was promised is not kept any more. */
  mayStart(group: Waiting, part: Part): boolean {
    const to = this.#now + lengthOf(group);
    const own = this.#promised.get(group.id);
    const roomFor = (kind: Kind) => this.#table.roomUntil(kind, { to, own });
    const mayStart = mayFit(part, { roomFor });
    if (mayStart) this.#release(group);
    return mayStart;
  }

  #release({ id }: Waiting): void {
    const booking = this.#promised.get(id);
    if (!booking) return;
    this.#table.cancel(booking);
    this.#promised.delete(id);
  }

  /** Keeps room for a group that does not find any now; what comes of it, where it is known when that starts. */
  keepFor(group: Waiting, wanted: Wanted): Reservation | undefined {
    const isTimed = this.#most > 0;
    if (isTimed) this.#noteEnds();
    if (isTimed && this.#reservations >= this.#most) return this.#keepPromise(group, wanted);
    this.#reservations++;
    const reservation = isTimed ? this.#reserve(group, wanted) : undefined;
    const since = group.shortSince ?? this.#now;
    if (reservation) this.#goesAhead(group, since);
    else if (since + this.#world.backfillMs <= this.#now && this.#protect(group, wanted)) {
      this.#goesAhead(group, since + this.#world.backfillMs);
    }
    return reservation;
  }

  /** Of a group behind as many as may be promised a start nothing is looked for: what it was promised stays. */
  #keepPromise(group: Waiting, wanted: Wanted): Reservation | undefined {
    this.#release(group);
    const promise = this.#ifHeld(group, this.#promiseTo(group, wanted));
    if (promise) this.#book(group, promise);
    else this.#keepComing(group, wanted);
    return promise;
  }

  /** Room that others leave piece by piece is not taken so by those behind: it is kept for a group that fits when they are gone. */
  #keepComing(group: Waiting, wanted: Wanted): void {
    if (this.#leavesAt <= this.#now) return;
    const slot = this.#earlier(group, { ...wanted, latest: this.#leavesAt });
    if (slot) this.#book(group, slot);
  }

  get #most(): number {
    return this.#world.reservations ?? 0;
  }

  /** What it was promised, or an earlier start. */
  #reserve(group: Waiting, wanted: Wanted): Reservation | undefined {
    const before = this.#promiseTo(group, wanted);
    const booking = before && this.#promised.get(group.id);
    if (booking) return this.#keepOrMove(group, { ...wanted, booking, before });
    this.#release(group);
    const promise = this.#ifHeld(group, before);
    const isBusy = this.#reservations > 1 && this.#table.steps > mostStepsInAll;
    const latest = promise?.startsAt ?? Infinity;
    const reservation = isBusy ? promise : this.#earlier(group, { ...wanted, latest }) ?? promise;
    if (reservation) this.#book(group, reservation);
    return reservation;
  }

  /** What is booked for a group, or an earlier start. */
  #keepOrMove(
    group: Waiting,
    { booking, before, ...wanted }: Wanted & { booking: Booking; before: Reservation },
  ): Reservation {
    if (this.#table.steps > mostSteps) return before;
    const seeking = { amounts: leastAmounts(wanted.part), length: lengthOf(group) };
    const chance = this.#table.chanceBefore(booking, seeking);
    if (!chance || isSame(chance, before.vain)) return before;
    this.#release(group);
    const latest = before.startsAt - 1;
    const reservation = this.#earlier(group, { ...wanted, latest }) ?? { ...before, vain: chance };
    this.#book(group, reservation);
    return reservation;
  }

  #earlier(
    group: Waiting,
    { part, demands, looks, latest }: Wanted & { latest: number },
  ): Reservation | undefined {
    const { levels } = this.#world;
    const now = new Regions(this.#table.free, levels);
    const { composite, refused } = group;
    // Whether a gang's minResources are there shows when its part is made.
    const isFixed = demands.every(({ minResources }) => minResources.size === 0);
    const slot = this.#table.earliest({
      length: lengthOf(group),
      latest,
      amounts: leastAmounts(part),
      place: (ground) =>
        lateRoomFor(isFixed ? part : partOf(demands, { ground, composite, refused }), {
          now,
          then: new Regions(ground, levels),
          looks,
        }),
    });
    if (!slot) return undefined;
    const ends = this.#table.whoEnds(slot.uses, slot.startsAt);
    // The room of its own members that end is not waited for as another's is.
    const after = ends === group.id ? undefined : ends;
    const domain = domainOf(part, { uses: slot.uses, regions: now });
    return {
      ...slot,
      ...(after !== undefined && { after }),
      ...(after !== undefined && this.#overdue.has(after) && { isOverdue: true }),
      ...(domain !== undefined && { domain }),
    };
  }

  /** What a group was promised, if the room is going to be there: also where as many as may be are ahead of it since. */
  #ifHeld(group: Waiting, promise: Reservation | undefined): Reservation | undefined {
    return promise && this.#table.has(promise.uses, this.#spanOf(group, promise))
      ? promise
      : undefined;
  }

  /** What it was promised, if that is still to come, and enough for what it needs now: it may have lost those that were held. */
  #promiseTo({ reserved }: Waiting, { part }: Wanted): Reservation | undefined {
    if (!reserved || reserved.startsAt <= this.#now) return undefined;
    const count = reserved.uses.reduce((sum, use) => sum + use.count, 0);
    return count >= neededOf(part) ? reserved : undefined;
  }

  #book(group: Waiting, promise: Reservation): Booking {
    return this.#table.keep(promise.uses, { id: group.id, ...this.#spanOf(group, promise) });
  }

  #spanOf(group: Waiting, { startsAt }: Reservation): Span {
    const from = Math.max(startsAt, this.#now);
    return { from, to: from + lengthOf(group) };
  }

  /** Keeps room from now on, on the nodes that are nearest to being free; whether there is any. */
  #protect({ id }: Waiting, { part, demands, looks }: Wanted): boolean {
    const { levels, labelsOf, free, backfillMs } = this.#world;
    const namespace = namespaceOf(demands);
    const count = (this.#protected.get(namespace) ?? 0) + 1;
    const most = Math.max(fewestProtected, mostProtected / free.size);
    // Where nobody may pass, nobody does.
    if (count > most && backfillMs > 0) return false;
    this.#protected.set(namespace, count);
    this.#capacity ??= groundOf({ free: this.#world.capacity(), labelsOf });
    const ground = this.#table.until(Infinity);
    const open = new Regions(ground, levels);
    const mark = ground.mark();
    const capacity = new Regions(this.#capacity, levels);
    const uses = reserveFor(part, { open, capacity, looks });
    ground.undoTo(mark);
    if (uses) {
      this.#table.keep(uses, { id, from: this.#now, to: Infinity, isUnchecked: true });
    }
    return uses !== undefined;
  }

  #goesAhead({ id }: Waiting, since: number): void {
    this.#ahead ??= { gang: id.split(",")[0]!, since: new Date(since).toISOString() };
  }
}

/** What a group needs. */
export interface Wanted {
  readonly part: Part;
  readonly demands: readonly Demand[];
  /** What is left to look at. */
  readonly looks: Looks;
}

/** Looks for earlier starts end there, and what was promised stays: for a long queue they would take too long. */
const mostSteps = 5000;
/** Searches for those that have been promised nothing end there, but for the first; the next plan goes on with them. */
const mostStepsInAll = 200_000;

/** So many groups of a namespace may have room kept, or so many nodes together: each of thousands would look at all nodes. */
const fewestProtected = 10;
const mostProtected = 100_000;

/** A group that is over its time goes on for as long again as it is over, a minute at least: so it is never thought to end now. */
const overMs = 60_000;

function isSame(a: Chance, b: Chance | undefined): boolean {
  return a.at === b?.at && a.spare === b.spare;
}

/** When something that still runs is thought to end, in ms since the epoch. */
function expectedEnd({ endsAt }: Pick<Ending, "endsAt">, now: number): number {
  return endsAt > now ? endsAt : now + Math.max(overMs, now - endsAt);
}

/** Whoever says that it runs for less still takes its room, which is nobody else's at that time. */
const leastLengthMs = 1000;

/** How long a group takes its room, in ms. */
export function lengthOf({ runTime }: Pick<Waiting, "runTime">): number {
  return runTime ? Math.max(leastLengthMs, 1000 * runTime.seconds) : Infinity;
}

/** The domain that its members are required to share, and that these are in. */
function domainOf(
  part: Part,
  { uses, regions }: { uses: readonly Use[]; regions: Regions },
): string | undefined {
  const node = regions.ground.numberOf(uses[0]?.node ?? "");
  const domains = regions.bounds(part.topology, { region: undefined, siblings: [] });
  return domains?.find(({ nodes }) => node !== undefined && nodes.includes(node))?.name;
}
