/**
 * The scheduler's own reasons against nodes, as far as they say whether plans know of them.
 *
 * @module
 */

/** The room that others take, who may leave. */
const ofRoom = [/Insufficient /, /Too many pods/];

/** What plans know of: more of it is no reason to plan elsewhere, because they will know. */
const modelled = [
  ...ofRoom,
  /untolerated taint/,
  /were unschedulable/,
  /didn't match Pod's node affinity\/selector/,
];

/** Over as soon as the claim that members share is allocated for the first of them, which wakes the others. */
const passing = /is in the process of being allocated/;

/** Whether the scheduler refuses a pod for what passes by itself: it says nothing of nodes. */
export function isPassing(message: string): boolean {
  return passing.test(message);
}

/** Whether the scheduler has reasons against some node that no plan knows of. */
export function isBeyondPlans(message: string): boolean {
  return !reasonsIn(message).every(isModelled);
}

/** Whether the scheduler has reasons, and plans know of all of them. */
export function isWithinPlans(message: string): boolean {
  const reasons = reasonsIn(message);
  return reasons.length > 0 && reasons.every(isModelled);
}

/** Whether the scheduler takes a pod on no node, and would on none if there were more room, for reasons that no plan knows of. */
export function isBeyondRoom(message: string): boolean {
  return isBeyondPlans(message) && !reasonsIn(message).some(isOfRoom);
}

/**
 * Where the reasons against nodes end, and what was tried in vain to get round them begins: by preemption, which has reasons of
 * its own against nodes, and before that, on Kubernetes 1.34 to 1.36, by other claims of the pod (`no new claims to deallocate`).
 */
const vainAttempts = /\. (?:[^.]*, )?preemption:/;

function reasonsIn(message: string): string[] {
  const [, all = ""] = /nodes are available: (.*)$/s.exec(message) ?? [];
  const [reasons = ""] = all.replace(/\.$/, "").split(vainAttempts);
  return reasons.split(/, (?=\d)/).filter((reason) => reason !== "" && !isPassing(reason));
}

function isOfRoom(reason: string): boolean {
  return ofRoom.some((known) => known.test(reason));
}

function isModelled(reason: string): boolean {
  return modelled.some((known) => known.test(reason));
}
