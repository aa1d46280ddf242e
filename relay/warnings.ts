/**
 * What users should know of their gangs beyond the sentence that the scheduler puts on their pods, as events.
 *
 * @module
 */
import type { GangFacts } from "../shared/core/facts.ts";
import type { Gang } from "./gang.ts";
import { podGroupSubject, podSubject, type Subject } from "./events.ts";
import type { GangGroup, Snapshot } from "./gang_group.ts";
import type { Pod } from "../shared/kubernetes/types.ts";

/** What is said, and to whom. */
export interface WarningsWorld {
  /** Says something about a pod or a PodGroup, unless it has been said before. */
  readonly warn: (about: Subject, reason: string, message: string) => void;
  /** Names that the scheduler beside the relay answers to. */
  readonly schedulerNames: readonly string[];
}

/** Says what is wrong with the gangs of a group as they are now. */
export function warnOf(group: GangGroup, { group: facts }: Snapshot, world: WarningsWorld): void {
  for (const [index, gang] of group.gangs.entries()) {
    if (gang.members.size > 0) warnOfGang(gang, { problem: facts.gangs[index]?.problem, world });
  }
  warnOfDegraded(group, world);
}

function warnOfGang(
  gang: Gang,
  { problem, world }: { problem: GangFacts["problem"]; world: WarningsWorld },
): void {
  for (const { pod, node } of gang.members.values()) {
    if (problem) world.warn(podSubject(pod), problem.reason, problem.message);
    if (!node) warnOfScheduler(gang, pod, world);
  }
  for (const { pod, message } of gang.read().warnings) {
    world.warn(podSubject(pod), "GangConflict", message);
  }
}

function warnOfScheduler({ id }: Gang, pod: Pod, { warn, schedulerNames }: WarningsWorld): void {
  const { schedulerName } = pod.spec;
  if (schedulerName === undefined || schedulerNames.includes(schedulerName)) return;
  const message =
    `a member of gang ${id} asks for scheduler "${schedulerName}", but Muster serves ` +
    `"${schedulerNames.join('", "')}": set its spec.schedulerName`;
  warn(podSubject(pod), "SchedulerMismatch", message);
}

/** S4: an event on the PodGroup, for its controller to act on. */
function warnOfDegraded({ admission, gangs }: GangGroup, { warn }: WarningsWorld): void {
  if (admission?.reason !== "Degraded") return;
  for (const { podGroup } of gangs.map((gang) => gang.read())) {
    if (podGroup) warn(podGroupSubject(podGroup), "Unschedulable", admission.message);
  }
}
