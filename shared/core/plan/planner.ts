/**
 * Where gang groups go now, one after another in queue order: a group that was let in keeps its room from those behind, and so
 * does one that has waited for room for long enough. What members are not needed for is planned when all groups have what they
 * need; one that pauses after a failed round comes after what those before it do not need.
 *
 * @module
 */
import { Carried } from "../gang/carried.ts";
import type { Fit } from "../gang/facts.ts";
import { joined, lacking, requestsOf, type Use } from "../room/fit.ts";
import { type Ground, groundOf } from "../room/ground.ts";
import { type Taken, type Taking, Timetable } from "../room/timetable.ts";
import { placedByPreemption } from "./by_preemption.ts";
import { clearanceFor, leavingFor } from "./clearance.ts";
import { addTo, type Claim, type Demand, demandOf, shapeOf } from "./demand.ts";
import { Keeping, lengthOf } from "./keeping.ts";
import { mayFit } from "./late_room.ts";
import { leftOutOf } from "./left_out.ts";
import { isMadeOn, withMadeOn } from "./made_on.ts";
import { isPlain, neededOf, type Part, partOf } from "./part.ts";
import type { QuorumSettings } from "../gang/quorum.ts";
import { placeTogether } from "./placing.ts";
import { type Clearance, makesWhole, type Plan, type Plans } from "./plan.ts";
import { impossibleFor } from "./prospects.ts";
import { refusedText } from "./refused_text.ts";
import { Regions } from "./regions.ts";
import { orAsBefore } from "./said_before.ts";
import { Search } from "./search.ts";
import { shortageOf } from "./shortage.ts";
import { steeringOf } from "./steering.ts";
import { placeSurplus } from "./surplus.ts";
import type { Waiting, World } from "./world.ts";

/** Room while it is given away. */
interface Rooms {
  readonly table: Timetable;
  readonly keeping: Keeping;
  /** What is still to be taken for regular pods for which victims leave. */
  readonly nominated: Claim[];
  /** What became of groups that found too little room, by where they looked and the shape of what they need, until room is taken. */
  readonly unfit: Map<Ground | "nowhere", Map<string, Unfit>>;
  /** Who would leave for groups that a policy keeps waiting, by where they looked and their shape, until room is taken. */
  readonly wouldLeave: Map<Ground, Map<string, Fit["leaving"]>>;
  /** Shapes of groups for which nobody leaves: room is only taken, so that it stays so. */
  readonly unclearable: Set<string>;
  /** What the groups that took no room ask for, as far as their members are known. */
  readonly wanted: Map<string, number>;
}

/** What plans are made by. */
interface Planning {
  readonly world: World;
  readonly rooms: Rooms;
  readonly now: number;
  /** Groups whose plan was made anew. */
  readonly looked: Map<string, Looked>;
}

/** The fit of what did not fit, and for whom the room is kept that it would have had. */
type Unfit = Pick<Plan, "fit" | "ahead">;

/** A group's demands, and the tree that they make. */
interface Looked {
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

/** Plans for every group, the first in the queue first; `now` is in milliseconds since the epoch. */
export function plan(world: World, now: number): Plans {
  const table = new Timetable(groundOf(world), now);
  const rooms: Rooms = {
    table,
    keeping: new Keeping(world, { table, now }),
    nominated: [...world.nominated],
    unfit: new Map(),
    wouldLeave: new Map(),
    unclearable: new Set(),
    wanted: new Map(),
  };
  const planning = { world, rooms, now, looked: new Map() };
  const made = { nodes: world.nodes, settings: world.settings };
  const [admitted, others] = partition(world.waiting, (group) => now < group.keepsUntil);
  const plans = admitted.map((group) => ({ group, plan: planOf(group, planning) }));
  const byGroup = new Map<string, Plan>();
  const placeOthers = () => {
    for (const { group, plan } of plans.splice(0)) {
      const whole = steered(withSurplus(plan, { group, planning }), { group, planning });
      const said = whole.taken ? withMadeOn(whole, made) : orAsBefore(whole, group.plan);
      byGroup.set(group.id, said);
    }
  };
  for (const group of others) {
    if (group.isPausing) placeOthers();
    keepForNominated(rooms, group.priority);
    rooms.keeping.level(group.priority);
    plans.push({ group, plan: planOf(group, planning) });
  }
  placeOthers();
  const isOverbooked = lacking(rooms.wanted, { rooms: table.free.rooms }) !== undefined;
  return { byGroup, isOverbooked, spare: (node) => table.until(Infinity).roomOf(node) };
}

/** As the scheduler does, a group leaves the room to those of its own priority or a higher one for which victims leave. */
function keepForNominated(rooms: Rooms, priority: number): void {
  const { nominated } = rooms;
  while (nominated[0] && nominated[0].priority >= priority) {
    const { node, requests } = nominated.shift()!;
    const uses = [{ node, requests, count: 1 }];
    take(uses, { rooms, id: "", to: Infinity, isUnchecked: true });
  }
}

function planOf(group: Waiting, planning: Planning): Plan {
  const { world, rooms } = planning;
  const { plan: planned } = group;
  if (planned?.taken && !group.isNeverWhole && isMadeOn(planned, world)) {
    if (takeFree(planned.taken, { group, planning })) return planned;
  }
  const looked = lookAt(group, planning);
  const { part, needsOnlyRoom, shape } = looked;
  const mayStart = mayFit(part, rooms.table.free) && rooms.keeping.mayStart(group, part);
  const where = mayStart ? groundFor(group, planning) : "nowhere";
  let unfit = rooms.unfit.get(where)?.get(shape);
  if (!unfit) {
    const uses = where === "nowhere" ? undefined : placesOn(where, { looked, world });
    if (uses && needsOnlyRoom) return wholePlan(uses, { group, planning });
    if (uses) return unusedPlan(looked, rooms);
    unfit = beside(looked, planning);
    noteUnfit(unfit, { rooms, where, shape });
  }
  const clearance = needsOnlyRoom && !unfit.ahead ? clear(looked, planning) : undefined;
  if (clearance) {
    take(clearance.taken, { rooms, id: group.id, to: Infinity, isUnchecked: true });
    return { fit: { ...unfit.fit, leaving: leavingFor(clearance) }, clearance, isShort: true };
  }
  if (group.isKeptByPolicy && looked.isComplete && !unfit.ahead) {
    const leaving = wouldLeaveFor(looked, planning);
    if (leaving) return { fit: { ...unfit.fit, leaving }, isShort: false };
  }
  want(looked, rooms);
  const impossible = makesWhole(unfit) || unfit.ahead
    ? undefined
    : impossibleFor(looked, { world });
  if (impossible) return { fit: { ...unfit.fit, impossible }, isShort: needsOnlyRoom };
  const reservation = needsOnlyRoom ? rooms.keeping.keepFor(group, looked) : undefined;
  return { ...unfit, ...(reservation && { reservation }), isShort: needsOnlyRoom };
}

/** What a group may use: it has to have ended when somebody else's room is taken, or leaves that. */
function groundFor(group: Waiting, { rooms, now }: Planning): Ground {
  return rooms.table.until(now + lengthOf(group));
}

/** Where a group has room there, or had when it was promised it; nothing is taken. */
function placesOn(
  ground: Ground,
  { looked: { group, part }, world }: { looked: Looked; world: World },
): readonly Use[] | undefined {
  if (!mayFit(part, ground)) return undefined;
  const regions = new Regions(ground, world.levels);
  const mark = ground.mark();
  const promised = group.reserved?.uses;
  const found = placeTogether(part, { regions, before: beforeOf(group) }) ??
    (promised && placeTogether(part, { regions, before: promised }));
  const uses = found?.uses;
  ground.undoTo(mark);
  return uses;
}

function noteUnfit(
  unfit: Unfit,
  { rooms, where, shape }: { rooms: Rooms; where: Ground | "nowhere"; shape: string },
): void {
  const there = rooms.unfit.get(where);
  if (there) there.set(shape, unfit);
  else rooms.unfit.set(where, new Map([[shape, unfit]]));
}

/** Where its members were to go. */
function beforeOf({ before, plan }: Waiting): readonly Use[] {
  return joined(before ?? [...plan?.taken ?? [], ...plan?.surplus ?? []]);
}

/** Room that pods leave for a group; of groups of one shape only the first looks for victims in vain. */
function clear(
  { group, demands, shape }: Looked,
  planning: Planning,
): Clearance | undefined {
  const { world, rooms } = planning;
  const isOwed = world.evictions?.leaving().some((leaving) => leaving.for === group.id);
  if (rooms.unclearable.has(shape) && !isOwed) return undefined;
  const open = groundFor(group, planning);
  const clearance = clearanceFor(demands, { group, open, world });
  if (!clearance) rooms.unclearable.add(shape);
  return clearance;
}

/** Who would leave for a group that a policy keeps waiting: it is asked first, and nothing is taken. */
function wouldLeaveFor(looked: Looked, planning: Planning): Fit["leaving"] {
  const { wouldLeave } = planning.rooms;
  const where = groundFor(looked.group, planning);
  const there = wouldLeave.get(where) ?? new Map<string, Fit["leaving"]>();
  wouldLeave.set(where, there);
  if (!there.has(looked.shape)) {
    const clearance = clear(looked, planning);
    there.set(looked.shape, clearance && leavingFor(clearance));
  }
  return there.get(looked.shape);
}

/** Groups that are looked at alike on every ground: most of a long queue, in each plan. */
const alwaysAlike = new Carried<Waiting, { found: Looked; settings: QuorumSettings }>();

/** What a group needs; nodes that its members have to themselves are taken. */
function lookAt(group: Waiting, planning: Planning): Looked {
  const { world: { settings }, looked } = planning;
  const before = alwaysAlike.of(group);
  const found = before?.settings === settings ? before.found : newlyLookedAt(group, planning);
  looked.set(group.id, found);
  return found;
}

function newlyLookedAt(group: Waiting, planning: Planning): Looked {
  const { world, rooms } = planning;
  const demands = group.gangs().map((gang) => demandOf(gang, world.settings));
  for (const { placed } of demands) {
    for (const { node, exclusive } of placed) {
      if (!exclusive) continue;
      const requests = requestsOf({ requests: new Map(), exclusive });
      rooms.table.take([{ node, requests, count: 1 }], { id: group.id, to: Infinity });
    }
  }
  const { composite, refused } = group;
  const asksOfAll = demands.some(({ minResources }) => minResources.size > 0);
  const ground = asksOfAll ? groundFor(group, planning) : rooms.table.free;
  const part = partOf(demands, { ground, composite, refused });
  // A composite knows which of its gangs are not there.
  const isKnown = composite !== undefined || group.id.split(",").length === demands.length;
  const isComplete = isKnown && !part.isBroken;
  const needsOnlyRoom = isComplete && !group.isNeverWhole;
  const nodes = [...refused ?? []].map(([kind, nodes]) => [kind, refusedText(nodes)]);
  const shape = `${demands.map(shapeOf).join()}${
    composite || nodes.length > 0 ? JSON.stringify([composite, nodes]) : ""
  }`;
  const found = { group, demands, part, isComplete, needsOnlyRoom, shape };
  const isAlike = demands.length === 1 && isPlain(demands[0]!, part) &&
    demands[0]!.placed.every(({ exclusive }) => !exclusive);
  if (isAlike) alwaysAlike.put(group, { found, settings: world.settings });
  return found;
}

function wholePlan(
  taken: readonly Use[],
  { group, planning: { rooms, now } }: { group: Waiting; planning: Planning },
): Plan {
  take(taken, { rooms, id: group.id, to: now + lengthOf(group) });
  const of = sumOf(taken);
  return { fit: { members: of, of }, taken, isShort: false };
}

/** There is room, but not only that is missing: it is taken only for a group that can use it. */
function unusedPlan(looked: Looked, rooms: Rooms): Plan {
  want(looked, rooms);
  const of = neededOf(looked.part);
  return { fit: { members: of, of }, isShort: false };
}

/** Places for the members that a group that is whole does not need, as far as there is room that nobody else needs. */
function withSurplus(
  planned: Plan,
  { group, planning }: { group: Waiting; planning: Planning },
): Plan {
  const { world, rooms, looked } = planning;
  const { taken, surplus = [], unplaced = 0 } = planned;
  if (!taken) return planned;
  const isKept = !looked.has(group.id);
  if (isKept && unplaced === 0 && takeFree(surplus, { group, planning })) return planned;
  const { part } = looked.get(group.id) ?? lookAt(group, planning);
  const others = part.all.reduce((sum, { count }) => sum + count, 0) - sumOf(taken);
  if (others === 0) return planned;
  const ground = groundFor(group, planning);
  const mark = ground.mark();
  const regions = new Regions(ground, world.levels);
  const search = new Search(regions, { placed: { part, uses: taken } });
  placeSurplus(part, { regions, search, before: beforeOf(group) });
  const uses = search.uses;
  const leftOut = leftOutOf(part, { search, regions });
  ground.undoTo(mark);
  take(uses, { rooms, id: group.id, to: planning.now + lengthOf(group) });
  const { fit, isShort } = planned;
  const rest = { surplus: uses, unplaced: others - sumOf(uses) };
  return { fit, taken, isShort, ...rest, ...(leftOut && { leftOut }) };
}

function sumOf(uses: readonly Use[]): number {
  return uses.reduce((sum, { count }) => sum + count, 0);
}

/**
 * A nomination costs a write where none would be, and saves the scheduler's search, though members could go anywhere: 0.4 of its
 * CPU ms a pod at 25 nodes, 0.8 at 300 and 1.6 at 1,000 (docs/benchmarks.md). With fewer nodes its scores are worth more.
 */
export const manyNodes = 1000;

/** How much hangs on its members' places; what is kept says so already. */
function steered(
  planned: Plan,
  { group, planning: { world, looked } }: { group: Waiting; planning: Planning },
): Plan {
  const found = looked.get(group.id);
  if (!found) return planned;
  const steering = steeringOf(found.demands, group.composite);
  if (steering !== "free") return { ...planned, steering, isPublished: true };
  return world.free.size < manyNodes ? planned : { ...planned, isPublished: true };
}

/** What a group asks for that may become whole: members that do not exist yet are taken to be like the others. */
function want({ group, demands }: Looked, { wanted }: Rooms): void {
  if (group.isNeverWhole) return;
  for (const { facts, candidates, needed } of demands) {
    const [member] = candidates;
    if (member && !facts.problem) addTo(wanted, member.requests, needed);
  }
}

function take(
  taken: readonly Taken[],
  { rooms: { table, unfit, wouldLeave }, ...how }: { rooms: Rooms } & Taking,
): void {
  if (taken.length > 0) {
    unfit.clear();
    wouldLeave.clear();
  }
  table.take(taken, how);
}

/** Takes the room that was planned to be used if nodes still have it. */
function takeFree(
  uses: readonly Use[],
  { group, planning }: { group: Waiting; planning: Planning },
): boolean {
  const { rooms, now } = planning;
  const to = now + lengthOf(group);
  const isFree = rooms.table.has(uses, { from: now, to });
  if (isFree) take(uses, { rooms, id: group.id, to });
  return isFree;
}

/** What a group finds that does not fit; if it would where nothing is reserved, that, and for whom it is. */
function beside(looked: Looked, { world, rooms }: Planning): Unfit {
  const { part } = looked;
  const { free } = rooms.table;
  const { ahead } = rooms.keeping;
  if (ahead && mayFit(part, free)) {
    const mark = free.mark();
    const found = placeTogether(part, { regions: new Regions(free, world.levels) });
    free.undoTo(mark);
    const of = neededOf(part);
    if (found) return { fit: { members: of, of }, ahead };
  }
  return { fit: shortage(looked, { world, ground: free }) };
}

/** How many members find room, and how many more would if pods of lower priority left. */
function shortage(
  { group, demands, part }: Looked,
  { world, ground }: { world: World; ground: Ground },
): Fit {
  const fit = shortageOf(part, { regions: new Regions(ground, world.levels) });
  const byPreemption = placedByPreemption(demands, { world, group, ground }) - fit.members;
  // Whether all would have room by that, the search for victims says.
  if (world.evictions && fit.members + byPreemption >= fit.of) return fit;
  return byPreemption > 0 ? { ...fit, byPreemption } : fit;
}

function partition<T>(items: readonly T[], isFirst: (item: T) => boolean): [T[], T[]] {
  return [items.filter(isFirst), items.filter((item) => !isFirst(item))];
}
