/**
 * What plans are made by: the room that is left while groups take theirs, one after another, and what became of those before.
 *
 * @module
 */
import type { Fit } from "../gang/facts.ts";
import type { Use } from "../room/fit.ts";
import { type Ground, groundOf } from "../room/ground.ts";
import { type Taken, type Taking, Timetable } from "../room/timetable.ts";
import { Breadth } from "./breadth.ts";
import { type Claim, type Demand, namespaceOf } from "./demand.ts";
import { Keeping, lengthOf } from "./keeping.ts";
import { Looks, mostOfNamespace } from "./looks.ts";
import type { Part } from "./part.ts";
import type { Plan } from "./plan.ts";
import type { Waiting, World } from "./world.ts";

/** Room while it is given away. */
export interface Rooms {
  readonly table: Timetable;
  readonly keeping: Keeping;
  /** What is still to be taken for regular pods for which victims leave. */
  readonly nominated: Claim[];
  /** What became of groups that found too little room, by where they looked and the shape of what they need, until room is taken. */
  readonly unfit: Map<Ground | "nowhere", Map<string, Unfit>>;
  /** Who would leave for groups that a policy keeps waiting, by where they looked and their shape, until room is taken. */
  readonly wouldLeave: Map<Ground, Map<string, Fit["leaving"]>>;
  /** Nodes where groups go at once, and the lowest priority of these. */
  readonly goneTo: Map<string, number>;
  /** Shapes of groups for which nobody leaves: room is only taken, so that it stays so. */
  readonly unclearable: Set<string>;
  /** What the groups that took no room ask for, as far as their members are known. */
  readonly wanted: Map<string, number>;
}

/** What plans are made by. */
export interface Planning {
  readonly world: World;
  readonly rooms: Rooms;
  readonly now: number;
  /** Groups whose plan was made anew. */
  readonly looked: Map<string, Looked>;
  /** What is left to look at, by namespace. */
  readonly looks: Map<string, Looks>;
  readonly breadth: Breadth;
}

/** The fit of what did not fit, and for whom the room is kept that it would have had. */
export type Unfit = Pick<Plan, "fit" | "ahead">;

/** A group's demands, and the tree that they make. */
export interface Looked {
  readonly group: Waiting;
  readonly demands: readonly Demand[];
  readonly part: Part;
  /** All that it needs is there. */
  readonly isComplete: boolean;
  /** It is, and nothing but room keeps it from being scheduled. */
  readonly needsOnlyRoom: boolean;
  /** Groups of one shape find the same. */
  readonly shape: string;
}

/** Nothing is given away yet; `now` is in milliseconds since the epoch. */
export function planningOf(world: World, now: number): Planning {
  const table = new Timetable(groundOf(world), now);
  const rooms: Rooms = {
    table,
    keeping: new Keeping(world, { table, now }),
    nominated: [...world.nominated],
    unfit: new Map(),
    wouldLeave: new Map(),
    goneTo: new Map(),
    unclearable: new Set(),
    wanted: new Map(),
  };
  const breadth = new Breadth(world.free.size);
  return { world, rooms, now, looked: new Map(), looks: new Map(), breadth };
}

/** For one search for a group, as far as others of its namespace have left any. */
export function looksFor({ demands }: Pick<Looked, "demands">, { looks }: Planning): Looks {
  const namespace = namespaceOf(demands);
  const all = looks.get(namespace) ?? new Looks(mostOfNamespace);
  looks.set(namespace, all);
  return new Looks(undefined, all);
}

/** What a group may use: it has to have ended when somebody else's room is taken, or leaves that. */
export function groundFor(group: Waiting, { rooms, now }: Planning): Ground {
  return rooms.table.until(now + lengthOf(group));
}

/** Takes room, which groups that did not fit may have looked for. */
export function take(
  taken: readonly Taken[],
  { rooms: { table, unfit, wouldLeave }, ...how }: { rooms: Rooms } & Taking,
): void {
  if (taken.length > 0) {
    unfit.clear();
    wouldLeave.clear();
  }
  table.take(taken, how);
}

/** Notes where a group goes at once. */
export function noteGoing(
  { taken = [] }: Plan,
  { group, rooms }: { group: Waiting; rooms: Rooms },
): void {
  for (const { node } of taken) {
    rooms.goneTo.set(node, Math.min(rooms.goneTo.get(node) ?? Infinity, group.priority));
  }
}

/** Takes the room that was planned to be used if nodes still have it. */
export function takeFree(
  uses: readonly Use[],
  { group, planning }: { group: Waiting; planning: Planning },
): boolean {
  const { rooms, now } = planning;
  const to = now + lengthOf(group);
  const isFree = rooms.table.has(uses, { from: now, to });
  if (isFree) take(uses, { rooms, id: group.id, to });
  return isFree;
}

/** As the scheduler does, a group leaves the room to those of its own priority or a higher one for which victims leave. */
export function keepForNominated(rooms: Rooms, priority: number): void {
  const { nominated } = rooms;
  while (nominated[0] && nominated[0].priority >= priority) {
    const { node, requests } = nominated.shift()!;
    const uses = [{ node, requests, count: 1 }];
    take(uses, { rooms, id: "", to: Infinity, isUnchecked: true });
  }
}

/** Keeps what became of groups of a shape that found too little room there. */
export function noteUnfit(
  unfit: Unfit,
  { rooms, where, shape }: { rooms: Rooms; where: Ground | "nowhere"; shape: string },
): void {
  const there = rooms.unfit.get(where);
  if (there) there.set(shape, unfit);
  else rooms.unfit.set(where, new Map([[shape, unfit]]));
}
