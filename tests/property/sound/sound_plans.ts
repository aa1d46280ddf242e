/**
 * What must hold of plans, whatever the cluster: seen without the code that makes them.
 *
 * @module
 */
import type { Plan, Plans } from "../../../shared/core/plan/plan.ts";
import type { Waiting, World } from "../../../shared/core/plan/world.ts";
import { noNodes, noTakingNodes, type Use } from "../../../shared/core/room/fit.ts";
import { copied, type Free, placesFor, takeFrom, timesIn } from "./exact_room.ts";
import { faultOfClearance } from "./sound_clearance.ts";
import { faultOfLeftOut } from "./sound_left_out.ts";
import { faultOfReservations } from "./sound_reservations.ts";
import { gangsOf, startedIn } from "./trees.ts";
import {
  canStart,
  gangOf,
  isComplete,
  isWholeBy,
  lostOf,
  sortOf,
  sumOf,
  type Wanted,
  type WantedGang,
  wantedOf,
} from "./wanted.ts";

/** A group, its plan, and what the one before left. */
interface Planned {
  readonly group: Waiting;
  readonly plan: Plan;
  readonly wanted: Wanted;
  readonly world: World;
  readonly left: Free;
  /** Room may be kept for others. */
  readonly isKept: boolean;
}

/** A rule that a plan breaks; undefined: all hold. */
export function faultOfPlans(world: World, plans: Plans, now: number): string | undefined {
  const left = copied(world.free);
  const isKept = (world.reservations ?? 0) > 0 || world.backfillMs < Infinity;
  const admitted = world.waiting.filter((group) => now < group.keepsUntil);
  const others = world.waiting.filter((group) => now >= group.keepsUntil);
  const nominated = [...world.nominated];
  let isKnown = true;
  const before: Waiting[] = [];
  const rest = new Map<string, readonly Use[]>();
  for (const group of [...admitted, ...others]) {
    const isAhead = now < group.keepsUntil;
    if (!isAhead && group.isPausing) {
      const wrong = takeSurplus(before.splice(0), { rest, left });
      if (wrong) return wrong;
    }
    before.push(group);
    while (!isAhead && nominated[0] && nominated[0].priority >= group.priority) {
      takeFrom(left, { ...nominated.shift()!, count: 1 });
    }
    const plan = plans.byGroup.get(group.id);
    if (!plan) return `${group.id} is not planned`;
    const wanted = wantedOf(group, world);
    const planned = { group, plan, world, left, isKept };
    const fault = wanted ? isKnown && faultOfPlan({ ...planned, wanted }) : false;
    if (fault) return `${group.id}: ${fault}`;
    isKnown &&= wanted !== undefined;
    for (const use of plan.clearance?.taken ?? []) takeFrom(left, use);
    if (!wanted) { for (const use of plan.taken ?? []) takeFrom(left, use); }
    const [lost, others] = firstOf(plan.surplus ?? [], wanted ? lostOf(wanted) : 0);
    const wrong = takeAll(lost, left);
    if (wrong) return `${group.id}, of what it lost: ${wrong}`;
    rest.set(group.id, others);
  }
  return takeSurplus(before, { rest, left }) ??
    faultOfSurplus(world, { plans, left, isKept: isKept || !isKnown }) ??
    (isKept ? faultOfReservations(world, plans, now) : undefined);
}

function faultOfPlan(planned: Planned): string | undefined {
  const { plan, group, wanted } = planned;
  const needsOnlyRoom = isComplete(wanted) && !group.isNeverWhole;
  if (plan.taken) return faultOfTaken(planned, plan.taken);
  if (plan.clearance) return faultOfClearance(planned, plan.clearance);
  if (!group.isKeptByPolicy && plan.isShort !== needsOnlyRoom) {
    return `it ${plan.isShort ? "needs" : "does not need"} only room`;
  }
  if (plan.surplus?.length) return "it has places for members that it does not need, and no others";
  return needsOnlyRoom ? faultOfShort(planned) : undefined;
}

function faultOfTaken(planned: Planned, taken: readonly Use[]): string | undefined {
  const { plan: { fit, isShort, ahead, clearance }, wanted, left } = planned;
  const { gangs } = wanted;
  const count = sumOf(taken);
  // It, or another gang of its group, waits for what it lost.
  const mayBeShort = lostOf(wanted) > 0;
  const isWrong = fit.members !== count || fit.of !== count || (isShort && !mayBeShort);
  if (isWrong || ahead || clearance) {
    return `room for ${count} is taken, and told ${JSON.stringify(fit)}`;
  }
  const starts = startedIn(wanted.tree, isWholeBy(taken, wanted));
  if (starts.length === 0) return `it starts with too few by ${JSON.stringify(taken)}`;
  for (const { id, sorts } of gangs) {
    const own = taken.filter((use) => gangOf(use, gangs)?.id === id);
    if (own.length > 0 && !starts.includes(id)) return `${id} goes, and does not start`;
    for (const sort of sorts) {
      const alike = own.filter(({ kind, role }) => kind === sort.kind && role === sort.role);
      if (sumOf(alike) > sort.count) return `${sumOf(alike)} of ${sort.count} ${sort.kind} go`;
    }
  }
  return faultOfPlaces(taken, gangs) ?? takeAll(taken, left);
}

function takeAll(uses: readonly Use[], left: Free): string | undefined {
  for (const use of uses) {
    if (!takeFrom(left, use)) return `there is no room for ${use.count} on ${use.node}`;
  }
  return undefined;
}

/** Members go only where they may, and beside their siblings where that is required. */
function faultOfPlaces(uses: readonly Use[], gangs: readonly WantedGang[]): string | undefined {
  for (const use of uses) {
    const sort = sortOf(use, gangs);
    if (!sort) return `nobody is of kind ${use.kind} in role ${use.role}`;
    if (!sort.mayRunOn(use.node)) return `${use.kind} may not run on ${use.node}`;
  }
  for (const gang of gangs) {
    const own = uses.filter((use) => gangOf(use, gangs) === gang);
    const parts = [
      { within: gang.within, uses: own },
      ...(gang.roles ?? []).map((role) => ({
        within: role.within,
        uses: own.filter((use) => use.role === role.name),
      })),
    ];
    for (const { within, uses } of parts) {
      const domains = new Set(uses.map(({ node }) => within?.domainOf(node)));
      const isOutside = within?.only && [...domains].some((one) => !within.only!.has(one!));
      const isSplit = within?.only ? false : domains.size > 1;
      if (within && uses.length > 0 && (isSplit || isOutside || domains.has(undefined))) {
        return `members of ${gang.id} are to be together, not in ${[...domains].join()}`;
      }
    }
  }
  return undefined;
}

/** A group waits for room only where there is none, and what it is told is so. */
function faultOfShort({ group, plan, wanted, world, left, isKept }: Planned): string | undefined {
  const { fit, ahead } = plan;
  if (isKept || ahead) return undefined;
  if (canStart(wanted, { free: left })) return "it fits, and is not planned";
  if (fit.members >= fit.of) return `it does not fit, and is told ${fit.members} of ${fit.of}`;
  const { gangs, tree } = wanted;
  const [gang] = gangs;
  const [sort] = gang!.sorts;
  const isOne = gangsOf(tree).length === 1 && gang!.sorts.length === 1 && !gang!.within &&
    gang!.roles?.length === 0;
  if (!isOne || !sort) return undefined;
  const places = placesFor(sort, { free: left });
  if (fit.members !== Math.min(places, fit.of - 1)) return `${places} fit, not ${fit.members}`;
  const rooms = [...left].flatMap(([node, room]) => sort.mayRunOn(node) ? [room] : []);
  const isShortOf = (resource: string) =>
    rooms.some((room) => {
      const rest = (room.get(resource) ?? 0) -
        timesIn(room, sort.requests) * (sort.requests.get(resource) ?? 0);
      return rest < (sort.requests.get(resource) ?? 0);
    });
  const refused = group.refused?.get(sort.kind);
  const isRefused = [...left].some(([node, room]) =>
    refused?.more.has(node) === true && timesIn(room, sort.requests) > 0
  );
  const isTrue = isRefused
    ? fit.shortOf === noTakingNodes
    : rooms.length === 0
    ? fit.shortOf === noNodes
    : isShortOf(fit.shortOf ?? "");
  if (!isTrue) return `it is not short of ${fit.shortOf}`;
  const most = placesFor(sort, { free: world.capacity() });
  const isPossible = gang!.planned.placed.length > 0 || group.plan !== undefined ||
    fit.byPreemption !== undefined || !fit.impossible || most < fit.of;
  return isPossible ? undefined : `${most} would fit without others: it is not impossible`;
}

/** The places of the first so many, and those of the others. */
function firstOf(uses: readonly Use[], count: number): [Use[], Use[]] {
  const first: Use[] = [];
  const others: Use[] = [];
  let left = count;
  for (const use of uses) {
    const here = Math.min(left, use.count);
    left -= here;
    if (here > 0) first.push({ ...use, count: here });
    if (here < use.count) others.push({ ...use, count: use.count - here });
  }
  return [first, others];
}

/** Nobody has a place beyond what is free. */
function takeSurplus(
  groups: readonly Waiting[],
  { rest, left }: { rest: ReadonlyMap<string, readonly Use[]>; left: Free },
): string | undefined {
  for (const { id } of groups) {
    const fault = takeAll(rest.get(id) ?? [], left);
    if (fault) return `${id}, beyond what is needed: ${fault}`;
  }
  return undefined;
}

/** Nobody is without a place for whom there is room. */
function faultOfSurplus(
  world: World,
  { plans, left, isKept }: { plans: Plans; left: Free; isKept: boolean },
): string | undefined {
  for (const group of world.waiting) {
    const plan = plans.byGroup.get(group.id)!;
    const { taken, surplus = [], unplaced } = plan;
    const wanted = wantedOf(group, world);
    if (!taken || !wanted) continue;
    const { gangs } = wanted;
    const all = gangs.flatMap(({ sorts }) => sorts).reduce((sum, { count }) => sum + count, 0);
    const without = all - sumOf(taken) - sumOf(surplus);
    if ((unplaced ?? 0) !== without) return `${group.id}: ${unplaced} of ${without} have no place`;
    const fault = faultOfPlaces([...taken, ...surplus], gangs) ??
      faultOfLeftOut(plan, { wanted, left: isKept ? undefined : left });
    if (fault) return `${group.id}, beyond what is needed: ${fault}`;
    const isAnywhere = gangs.every(({ within, roles }) => !within && roles?.length === 0);
    const [sort] = gangs[0]!.sorts;
    const isOne = gangsOf(wanted.tree).length === 1 && gangs[0]!.sorts.length === 1;
    if (isKept || !isAnywhere || !isOne || without === 0) continue;
    if (placesFor(sort!, { free: left }) > 0) return `${group.id}: there is room for one more`;
  }
  if (isKept) return undefined;
  for (const [node, room] of left) {
    const spare = plans.spare(node);
    for (const [resource, amount] of room) {
      if (spare?.get(resource) === amount) continue;
      return `${amount} ${resource} is to spare on ${node}, not ${spare?.get(resource)}`;
    }
  }
  return undefined;
}
