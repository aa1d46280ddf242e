/**
 * Which gang groups find room now, one after another in queue order: a group that was let in keeps its room from those
 * behind, and so does one that has waited for room for long enough.
 *
 * @module
 */
import { type Ahead, type Fit, gangId } from "../gang/facts.ts";
import {
  byLargestMember,
  copyOf,
  fitting,
  giveBack,
  kindsOf,
  lacking,
  place,
  type Placement,
  type Room,
  take,
  takeAll,
  type Use,
} from "../room/fit.ts";
import { reserve } from "../room/reservation.ts";
import { addTo, type Demand, demandOf, shapeOf, shortOfMinResources } from "./demand.ts";
import { makesWhole, type Plan, type Plans } from "./plan.ts";
import { impossibleFor } from "./prospects.ts";
import type { Claim, Waiting, World } from "./world.ts";

/** Room while it is given away. */
interface Rooms {
  readonly free: Room;
  /** `free` without what is reserved; the same object while nothing is. */
  open: Room;
  /** What would be free if all pods had left that ever do; computed when first needed. */
  capacity?: Room;
  /** The first group for which room is reserved. */
  ahead?: Ahead;
  /** What is still to be taken for regular pods for which victims leave. */
  readonly nominated: Claim[];
  /** What became of groups that found too little room, by the shape of what they need, until room is taken. */
  readonly unfit: Map<string, Unfit>;
  /** What the groups that took no room ask for, as far as their members are known. */
  readonly wanted: Map<string, number>;
}

/** The fit of what did not fit, and for whom the room is kept that it would have had. */
type Unfit = Pick<Plan, "fit" | "ahead">;

/** Plans for every group, the first in the queue first; `now` is in milliseconds since the epoch. */
export function plan(world: World, now: number): Plans {
  const free = copyOf(world.free);
  const rooms: Rooms = {
    free,
    open: free,
    nominated: [...world.nominated],
    unfit: new Map(),
    wanted: new Map(),
  };
  const byGroup = new Map<string, Plan>();
  const planNext = (group: Waiting) => byGroup.set(group.id, planOf(group, { world, rooms, now }));
  const [admitted, others] = partition(world.waiting, (group) => now < group.reservedUntil);
  for (const group of admitted) planNext(group);
  for (const group of others) {
    keepForNominated(rooms, group.priority);
    planNext(group);
  }
  return { byGroup, isOverbooked: lacking(rooms.wanted, free, new Map()) !== undefined };
}

/** As the scheduler does, a group leaves the room to those of its own priority or a higher one for which victims leave. */
function keepForNominated({ free, open, nominated, unfit }: Rooms, priority: number): void {
  while (nominated[0] && nominated[0].priority >= priority) {
    const { node, requests } = nominated.shift()!;
    for (const room of new Set([free, open])) take(room, node, { requests });
    unfit.clear();
  }
}

function planOf(
  group: Waiting,
  { world, rooms, now }: { world: World; rooms: Rooms; now: number },
): Plan {
  const { plan: planned } = group;
  if (planned?.taken?.every((use) => isFree(use, rooms.open))) {
    takeFor(planned.taken, rooms);
    return planned;
  }
  const demands = group.gangs().map((gang) => demandOf(gang, world.settings));
  const needsOnlyRoom = canBecomeWhole(group, demands);
  const shape = demands.map(shapeOf).join();
  let unfit = rooms.unfit.get(shape);
  if (!unfit) {
    const { fit, taken } = fitIn(demands, { world, room: rooms.open });
    if (isWhole(fit)) return wholePlan({ fit, taken }, { group, demands, needsOnlyRoom, rooms });
    unfit = beside(demands, { fit, world, rooms });
    rooms.unfit.set(shape, unfit);
  }
  want(group, demands, rooms);
  const impossible = makesWhole(unfit) || unfit.ahead
    ? undefined
    : impossibleFor(demands, { capacity: world.capacity(), shape });
  if (impossible) return { fit: { ...unfit.fit, impossible }, isShort: needsOnlyRoom };
  if (needsOnlyRoom) protect(group, demands, { world, rooms, now });
  return { ...unfit, isShort: needsOnlyRoom };
}

/** The room is taken only for a group that can use it. */
function wholePlan(
  { fit, taken }: { fit: Fit; taken: Use[] },
  { group, demands, needsOnlyRoom, rooms }: {
    group: Waiting;
    demands: readonly Demand[];
    needsOnlyRoom: boolean;
    rooms: Rooms;
  },
): Plan {
  giveBack(rooms.open, taken);
  if (needsOnlyRoom) {
    takeFor(taken, rooms);
    return { fit, taken, isShort: false };
  }
  want(group, demands, rooms);
  return { fit, isShort: false };
}

/** What a group asks for that may become whole: members that do not exist yet are taken to be like the others. */
function want(group: Waiting, demands: readonly Demand[], { wanted }: Rooms): void {
  if (group.isNeverWhole) return;
  for (const { facts, candidates, needed } of demands) {
    const [member] = candidates;
    if (member && !facts.problem) addTo(wanted, member.requests, needed);
  }
}

function takeFor(taken: readonly Use[], { free, open, unfit }: Rooms): void {
  unfit.clear();
  for (const room of new Set([free, open])) {
    for (const use of taken) takeAll(room, use);
  }
}

/** Whether a node still has the room that was planned to be used. */
function isFree({ node, requests, count }: Use, room: Room): boolean {
  const free = room.get(node);
  return free !== undefined && fitting(requests, free) >= count;
}

/** The fit if nothing was reserved, and for whom it is. */
function beside(
  demands: readonly Demand[],
  { fit, world, rooms }: { fit: Fit; world: World; rooms: Rooms },
): Unfit {
  if (!rooms.ahead) return { fit };
  const unreserved = fitIn(demands, { world, room: rooms.free });
  giveBack(rooms.free, unreserved.taken);
  return isWhole(unreserved.fit)
    ? { fit: unreserved.fit, ahead: rooms.ahead }
    : { fit: unreserved.fit };
}

/** Reserves room for a group that others have passed for long enough. */
function protect(
  group: Waiting,
  demands: readonly Demand[],
  { world, rooms, now }: { world: World; rooms: Rooms; now: number },
): void {
  const since = (group.shortSince ?? now) + world.backfillMs;
  if (since > now) return;
  rooms.capacity ??= copyOf(world.capacity());
  if (rooms.open === rooms.free) rooms.open = copyOf(rooms.free);
  const reservable = { open: rooms.open, capacity: rooms.capacity };
  const reserved: Use[][] = [];
  for (const { candidates, needed } of demands) {
    if (needed > 0) reserved.push(reserve(candidates, reservable, needed));
  }
  rooms.unfit.clear();
  if (reserved.every((uses) => uses.length > 0)) {
    rooms.ahead ??= { gang: gangId(demands[0]!.facts.gang), since: new Date(since).toISOString() };
    return;
  }
  for (const room of Object.values(reservable)) giveBack(room, reserved.flat());
}

/** Whether all that a group needs is there, and nothing but room keeps it from being scheduled. */
function canBecomeWhole({ id, isNeverWhole }: Waiting, demands: readonly Demand[]): boolean {
  const isComplete = id.split(",").length === demands.length;
  return isComplete && !isNeverWhole &&
    demands.every(({ facts, candidates, needed }) => !facts.problem && candidates.length >= needed);
}

function isWhole(fit: Fit): boolean {
  return fit.members === fit.of;
}

/** The fit of all gangs of a group together; they take their room only if all of them fit whole. */
function fitIn(
  demands: readonly Demand[],
  { world, room }: { world: World; room: Room },
): { fit: Fit; taken: Use[] } {
  const taken: Use[] = [];
  // Small members find room beside large ones, but not the other way about.
  const kinds = ({ candidates }: Demand) => kindsOf(candidates).map(([candidate]) => candidate!);
  const ordered = byLargestMember(demands, { room, membersOf: kinds });
  const fit = sumOf(ordered.map((demand) => {
    const placement = placementOf(demand, room);
    taken.push(...placement.taken);
    return placement.fit;
  }));
  if (isWhole(fit)) return { fit, taken };
  giveBack(room, taken);
  const byPreemption = placedByPreemption(demands, { world, room }) - fit.members;
  return { fit: byPreemption > 0 ? { ...fit, byPreemption } : fit, taken: [] };
}

function placementOf(demand: Demand, room: Room): Placement {
  const { candidates, needed } = demand;
  const lack = shortOfMinResources(demand, room);
  const { fit, taken } = place(candidates, room, needed);
  if (!lack) return { fit, taken };
  const { resource: shortOf, asks, free } = lack;
  const minResources = { asks, free, members: fit.members };
  return {
    fit: { members: 0, of: needed, shortOf, isForMinResources: true, minResources },
    taken,
  };
}

function sumOf(fits: readonly Fit[]): Fit {
  const short = fits.find((fit) => fit.shortOf);
  const found = fits.reduce((sum, fit) => sum + (fit.minResources?.members ?? 0), 0);
  return {
    members: fits.reduce((sum, fit) => sum + fit.members, 0),
    of: fits.reduce((sum, fit) => sum + fit.of, 0),
    ...(short && { shortOf: short.shortOf }),
    ...(short?.isForMinResources && { isForMinResources: true }),
    ...(short?.minResources && { minResources: { ...short.minResources, members: found } }),
  };
}

/** How many members of all gangs together would have room if pods of a lower priority left, each of which leaves once. */
function placedByPreemption(
  demands: readonly Demand[],
  { world, room }: { world: World; room: Room },
): number {
  const evicting = demands.filter((demand) => !shortOfMinResources(demand, room))
    .sort((a, b) => a.evictsBelow - b.evictsBelow);
  const victims = [...world.takenBelow(evicting.at(-1)?.evictsBelow ?? -Infinity)];
  if (victims.length === 0) return 0;
  const emptied = copyOf(room);
  let from = -Infinity;
  let members = 0;
  for (const { candidates, needed, evictsBelow } of evicting) {
    for (const { node, requests, priority } of victims) {
      if (priority >= from && priority < evictsBelow) take(emptied, node, { requests, sign: -1 });
    }
    from = evictsBelow;
    members += place(candidates, emptied, needed).fit.members;
  }
  return members;
}

function partition<T>(items: readonly T[], isFirst: (item: T) => boolean): [T[], T[]] {
  return [items.filter(isFirst), items.filter((item) => !isFirst(item))];
}
