/**
 * What must hold of room that pods leave for a group.
 *
 * @module
 */
import type { Clearance } from "../../../shared/core/plan/plan.ts";
import type { RunningGang, RunningPod } from "../../../shared/core/plan/running.ts";
import type { Waiting, World } from "../../../shared/core/plan/world.ts";
import { copied, type Free, takeFrom } from "./exact_room.ts";
import { startedIn } from "./trees.ts";
import { canStart, gangOf, isWholeBy, sumOf, type Wanted } from "./wanted.ts";

/** For whom, and what the groups before it have left. */
export interface Cleared {
  readonly group: Waiting;
  readonly wanted: Wanted;
  readonly world: World;
  readonly left: Free;
}

/** A rule that is broken; undefined: all hold. */
export function faultOfClearance(
  { group, wanted, world, left }: Cleared,
  { taken, victims, names, members }: Clearance,
): string | undefined {
  const { evictions } = world;
  const { gangs } = wanted;
  if (!evictions) return "pods are to leave, though nobody evicts";
  const priority = Math.min(
    ...gangs.filter(({ needed }) => needed > 0).map(({ planned }) => planned.evictsBelow),
  );
  const { pods, gangs: running } = evictions.running(priority);
  const leaving = pods.filter(({ uid }) => victims.includes(uid));
  if (leaving.length < victims.length) return "pods are to leave that may not be evicted";
  const tooHigh = leaving.find((pod) => pod.priority >= priority);
  if (tooHigh) return `${tooHigh.name} is to leave, though its priority is no lower`;
  const room = copied(left);
  for (const pod of evictions.leaving()) takeFrom(room, { ...pod, count: -1 });
  const without = (some: readonly RunningPod[]) => {
    const free = copied(room);
    for (const pod of some) takeFrom(free, { ...pod, count: -1 });
    return free;
  };
  const emptied = without(leaving);
  for (const use of taken) {
    if (!takeFrom(emptied, use)) return `there is no room on ${use.node} when all have left`;
  }
  const own = evictions.leaving().filter((pod) => pod.for === group.id);
  const told = own.length + victims.length;
  // One ahead may have taken the room of those that left for this one: then it is told of those that leave for whomever.
  const isOthers = told === 0 && group.isCleared && names.length > 0;
  if (names.length !== told && !isOthers) return `${names.length} are told to leave`;
  const count = taken.reduce((sum, use) => sum + use.count, 0);
  if (members.length !== count) return `${members.length} of ${count} are to go there`;
  const starts = startedIn(wanted.tree, isWholeBy(taken, wanted));
  for (const gang of gangs) {
    const own = sumOf(taken.filter((use) => gangOf(use, gangs) === gang));
    if (own > 0 && !starts.includes(gang.id)) {
      return `pods leave for ${gang.id}, which is not whole`;
    }
    const uids = new Set(gang.planned.candidates.map(({ uid }) => uid));
    const going = members.filter(({ uid }) => uids.has(uid)).length;
    if (going !== own) return `${going} of ${own} members of ${gang.id} are to go there`;
  }
  if (victims.length > 0 && canStart(wanted, { free: room })) {
    return "pods are to leave for room that comes";
  }
  for (const pod of leaving) {
    // Members that are held are let go together.
    const isAlone = pod.gang === undefined || running.get(pod.gang)?.disruption === "member";
    if (!isAlone || pod.isHeld) continue;
    const others = leaving.filter((other) => other !== pod);
    if (canStart(wanted, { free: without(others) })) return `${pod.name} is to leave for nothing`;
  }
  const half = [...Map.groupBy(leaving, ({ gang }) => gang)].find(([id, own]) => {
    const gang = id === undefined ? undefined : running.get(id);
    return gang && isHalf(gang, own.filter(({ isHeld }) => !isHeld));
  });
  if (half) return `a part of ${half[0]} is to leave, which needs it`;
  const older = leaving.find((pod) =>
    isFree(pod) &&
    pods.some((other) =>
      isFree(other) && isAlike(pod, other) && other.startedAt > pod.startedAt &&
      !leaving.includes(other)
    )
  );
  if (older) return `${older.name} is to leave, though one like it has run for less long`;
  if (leaving.length === 0) return undefined;
  const highest = Math.max(...leaving.map((pod) => pod.priority));
  const lower = pods.filter((pod) =>
    pod.gang === undefined && pod.priority < highest && pod.budgets.length === 0
  );
  return canStart(wanted, { free: without(lower) })
    ? "pods of a lower priority would do"
    : undefined;
}

/** Nobody looks after it but its budgets. */
function isFree({ gang, budgets, isHeld }: RunningPod): boolean {
  return gang === undefined && budgets.length === 0 && !isHeld;
}

/** Either leaves the same room. */
function isAlike(a: RunningPod, b: RunningPod): boolean {
  return a.node === b.node && a.priority === b.priority && a.requests.size === b.requests.size &&
    [...a.requests].every(([resource, amount]) => b.requests.get(resource) === amount);
}

/** Some of the gang run on, and fewer than it needs. */
function isHalf(
  { disruption, minMember, bound, succeeded, roles }: RunningGang,
  leaving: readonly RunningPod[],
): boolean {
  if (disruption === "member" || leaving.length === 0 || leaving.length === bound) return false;
  const isRoleShort = roles.some((role) =>
    role.bound - leaving.filter((pod) => pod.role === role.name).length < role.min
  );
  return isRoleShort || bound + succeeded - leaving.length < minMember;
}
