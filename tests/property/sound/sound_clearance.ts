/**
 * What must hold of room that pods leave for a group.
 *
 * @module
 */
import type { Clearance } from "../../../shared/core/plan/plan.ts";
import type { RunningPod } from "../../../shared/core/plan/running.ts";
import type { Waiting, World } from "../../../shared/core/plan/world.ts";
import { canPlace, copied, type Free, takeFrom } from "./exact_room.ts";
import type { WantedGang } from "./wanted.ts";

/** For whom, and what the groups before it have left. */
export interface Cleared {
  readonly group: Waiting;
  readonly gangs: readonly WantedGang[];
  readonly world: World;
  readonly left: Free;
}

/** A rule that is broken; undefined: all hold. */
export function faultOfClearance(
  { group, gangs, world, left }: Cleared,
  { taken, victims, names, members }: Clearance,
): string | undefined {
  const { evictions } = world;
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
  if (names.length !== own.length + victims.length) return `${names.length} are told to leave`;
  const count = taken.reduce((sum, use) => sum + use.count, 0);
  if (members.length !== count) return `${members.length} of ${count} are to go there`;
  if (victims.length > 0 && canPlace(gangs, room)) return "pods are to leave for room that comes";
  for (const pod of leaving) {
    const isFree = pod.gang === undefined || running.get(pod.gang)?.disruption === "member";
    if (!isFree) continue;
    const others = leaving.filter((other) => other !== pod);
    if (canPlace(gangs, without(others))) return `${pod.name} is to leave for nothing`;
  }
  if (leaving.length === 0) return undefined;
  const highest = Math.max(...leaving.map((pod) => pod.priority));
  const lower = pods.filter((pod) =>
    pod.gang === undefined && pod.priority < highest && pod.budgets.length === 0
  );
  return canPlace(gangs, without(lower)) ? "pods of a lower priority would do" : undefined;
}
