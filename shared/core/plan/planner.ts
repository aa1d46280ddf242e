/**
 * Where gang groups go now, one after another in queue order: a group that was let in keeps its room from those behind, and so
 * does one that has waited for room for long enough. What members are not needed for is planned when all groups have what they
 * need; one that pauses after a failed round comes after what those before it do not need.
 *
 * @module
 */
import type { Fit } from "../gang/facts.ts";
import { joined, lacking, type Use } from "../room/fit.ts";
import type { Ground } from "../room/ground.ts";
import { partition } from "../room/ranks.ts";
import { beside } from "./beside.ts";
import { clearanceFor, leavingFor } from "./clearance.ts";
import { lengthOf } from "./keeping.ts";
import { mayFit } from "./may_fit.ts";
import { leftOutOf } from "./left_out.ts";
import { lookAt, want } from "./looked.ts";
import { type Lost, lostIn, needingOne } from "./lost.ts";
import { isMadeOn, withMadeOn } from "./made_on.ts";
import { neededOf } from "./part.ts";
import { placeTogether } from "./placing.ts";
import { type Clearance, makesWhole, type Plan, type Plans } from "./plan.ts";
import {
  groundFor,
  keepForNominated,
  type Looked,
  looksFor,
  noteGoing,
  noteUnfit,
  type Planning,
  planningOf,
  type Rooms,
  take,
  takeFree,
  type Unfit,
} from "./planning.ts";
import { impossibleFor } from "./prospects.ts";
import { Regions } from "./regions.ts";
import { orAsBefore } from "./said_before.ts";
import { Search } from "./search.ts";
import { haveAPreference, steeringOf } from "./steering.ts";
import { placeSurplus } from "./surplus.ts";
import type { Waiting, World } from "./world.ts";

/** Plans for every group, the first in the queue first; `now` is in milliseconds since the epoch. */
export function plan(world: World, now: number): Plans {
  const planning = planningOf(world, now);
  const { rooms } = planning;
  const made = { nodes: world.nodes, settings: world.settings };
  const [admitted, others] = partition(world.waiting, (group) => now < group.keepsUntil);
  const planned = (group: Waiting) => {
    const plan = withLost(planOf(group, planning), { group, planning });
    noteGoing(plan, { group, rooms });
    return { group, plan };
  };
  const plans = admitted.map(planned);
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
    plans.push(planned(group));
  }
  placeOthers();
  const { table, wanted } = rooms;
  const isOverbooked = lacking(wanted, { rooms: table.free.rooms }) !== undefined;
  return { byGroup, isOverbooked, spare: (node) => table.until(Infinity).roomOf(node) };
}

function planOf(group: Waiting, planning: Planning): Plan {
  const kept = keptPlan(group, planning);
  if (kept) return kept;
  const { rooms } = planning;
  const looked = lookAt(group, planning);
  const { part, needsOnlyRoom, shape } = looked;
  const behind = planning.breadth.behind(looked, planning.now);
  if (behind) {
    want(looked, rooms);
    const of = neededOf(part);
    return { fit: { members: of, of }, ahead: behind, isShort: needsOnlyRoom };
  }
  const mayStart = mayFit(part, rooms.table.free) && rooms.keeping.mayStart(group, part);
  const where = mayStart ? groundFor(group, planning) : "nowhere";
  let unfit = rooms.unfit.get(where)?.get(shape);
  if (!unfit) {
    const uses = where === "nowhere" ? undefined : placesOn(where, { looked, planning });
    if (uses && needsOnlyRoom) return wholePlan(uses, { group, planning });
    if (uses) return unusedPlan(looked, rooms);
    unfit = beside(looked, planning);
    noteUnfit(unfit, { rooms, where, shape });
  }
  return unfitPlan(unfit, { looked, planning });
}

/** The plan of before, where its room is still free. */
function keptPlan(group: Waiting, planning: Planning): Plan | undefined {
  const { plan } = group;
  if (!plan?.taken || group.isNeverWhole || isBeyondNeed(plan)) return undefined;
  const isStill = isMadeOn(plan, planning.world) && takeFree(plan.taken, { group, planning });
  return isStill ? plan : undefined;
}

/** There is no room for a group: whether pods leave for it or would, whether waiting is in vain, and what room is kept for it. */
function unfitPlan(
  unfit: Unfit,
  { looked, planning }: { looked: Looked; planning: Planning },
): Plan {
  const { world, rooms } = planning;
  const { group, needsOnlyRoom } = looked;
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
  const reservation = needsOnlyRoom ? keepFor(looked, planning) : undefined;
  return { ...unfit, ...(reservation && { reservation }), isShort: needsOnlyRoom };
}

/** Whether it is of members only that are not needed before others bind: a gang may have lost some. */
function isBeyondNeed({ fit, surplus = [], unplaced = 0 }: Plan): boolean {
  return fit.of === 0 && surplus.length + unplaced > 0;
}

/** Where a group has room there, or had when it was promised it; nothing is taken. */
function placesOn(
  ground: Ground,
  { looked, planning }: { looked: Looked; planning: Planning },
): readonly Use[] | undefined {
  const { group, part } = looked;
  if (!mayFit(part, ground)) return undefined;
  const regions = new Regions(ground, planning.world.levels);
  const mark = ground.mark();
  const promised = group.reserved?.uses;
  const looks = looksFor(looked, planning);
  const found = placeTogether(part, { regions, before: beforeOf(group), looks }) ??
    (promised && placeTogether(part, { regions, before: promised, looks }));
  const uses = found?.uses;
  ground.undoTo(mark);
  return uses;
}

/** Where its members were to go. */
function beforeOf({ before, plan }: Waiting): readonly Use[] {
  return joined(before ?? [...plan?.taken ?? [], ...plan?.surplus ?? []]);
}

/** Room that pods leave for a group; of groups of one shape only the first looks for victims in vain. */
function clear(looked: Looked, planning: Planning): Clearance | undefined {
  const { group, demands, shape } = looked;
  const { world, rooms } = planning;
  const isOwed = world.evictions?.leaving().some((leaving) => leaving.for === group.id);
  if (rooms.unclearable.has(shape) && !isOwed) return undefined;
  const open = groundFor(group, planning);
  const looks = looksFor(looked, planning);
  const { goneTo } = rooms;
  const clearance = clearanceFor(demands, { group, open, world, looks, goneTo });
  if (!clearance) rooms.unclearable.add(shape);
  return clearance;
}

function keepFor(looked: Looked, planning: Planning): Plan["reservation"] {
  const looks = looksFor(looked, planning);
  return planning.rooms.keeping.keepFor(looked.group, { ...looked, looks });
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

/**
 * Places for what a gang that runs has lost: its members bind one by one, and the gangs behind come after them. Where none finds
 * room, that is kept for one.
 */
function withLost(
  planned: Plan,
  { group, planning }: { group: Waiting; planning: Planning },
): Plan {
  const looked = planning.looked.get(group.id);
  const lost = looked?.needsOnlyRoom ? lostIn(looked) : undefined;
  if (!planned.taken || !looked || !lost?.size) return planned;
  const begun = withSurplus(planned, { group, planning, lost });
  if (sumOf(begun.surplus ?? []) > 0) return begun;
  const one = needingOne(looked, groundFor(group, planning));
  const alone = { ...looked, ...one, group: { ...group, composite: undefined } };
  const reservation = keepFor(alone, planning);
  return { ...begun, ...(reservation && { reservation }), isShort: true };
}

/** Places for the members that a group that is whole does not need, as far as there is room that nobody else needs. */
function withSurplus(
  planned: Plan,
  { group, planning, lost }: { group: Waiting; planning: Planning; lost?: Lost },
): Plan {
  const { taken, surplus = [], unplaced = 0 } = planned;
  if (!taken) return planned;
  const isKept = !planning.looked.has(group.id);
  if (isKept && unplaced === 0 && takeFree(surplus, { group, planning })) return planned;
  const looked = planning.looked.get(group.id) ?? lookAt(group, planning);
  const placed = isKept ? taken : [...taken, ...surplus];
  const others = looked.part.all.reduce((sum, { count }) => sum + count, 0) - sumOf(placed);
  if (others === 0) return planned;
  const { uses, leftOut } = placesBeside(placed, { looked, planning, lost });
  take(uses, { rooms: planning.rooms, id: group.id, to: planning.now + lengthOf(group) });
  const { fit, isShort, reservation } = planned;
  return {
    fit,
    taken,
    isShort,
    surplus: joined([...placed.slice(taken.length), ...uses]),
    unplaced: others - sumOf(uses),
    ...(reservation && { reservation }),
    ...(leftOut && { leftOut }),
  };
}

/** Where members find room beside those that are placed, and what of their group has none; nothing is taken. */
function placesBeside(
  placed: readonly Use[],
  { looked, planning, lost }: { looked: Looked; planning: Planning; lost?: Lost | undefined },
): { uses: readonly Use[]; leftOut: Plan["leftOut"] } {
  const { group, part } = looked;
  const ground = groundFor(group, planning);
  const mark = ground.mark();
  const regions = new Regions(ground, planning.world.levels);
  const looks = looksFor(looked, planning);
  const search = new Search(regions, { placed: { part, uses: placed }, looks });
  placeSurplus(part, { regions, search, before: beforeOf(group), lost });
  const { uses } = search;
  const leftOut = leftOutOf(part, { search, regions });
  ground.undoTo(mark);
  return { uses, leftOut };
}

function sumOf(uses: readonly Use[]): number {
  return uses.reduce((sum, { count }) => sum + count, 0);
}

/**
 * A nomination costs a write where none would be, and saves the scheduler's search, though members could go anywhere: 0.4 of its
 * CPU ms a pod at 25 nodes, 0.8 at 300 and 1.6 at 1,000 (docs/benchmarks.md). With fewer nodes its scores choose for whoever
 * would rather run somewhere.
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
  const isWeighed = world.free.size < manyNodes || haveAPreference(found.demands);
  return isWeighed ? planned : { ...planned, isPublished: true };
}
