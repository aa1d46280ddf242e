/**
 * Pods that had to leave.
 *
 * @module
 */
import type { Pod } from "../types.ts";
import { podCondition } from "../pod_condition.ts";

/** Whether a scheduler evicts a pod for one of higher priority; it says so before it deletes the pod. */
export function isPreempted(pod: Pod): boolean {
  return isDisrupted(pod, "PreemptionByScheduler");
}

/** Whether a pod was evicted through the Eviction API, which says so before it deletes the pod. */
export function isEvicted(pod: Pod): boolean {
  return isDisrupted(pod, "EvictionByEvictionAPI");
}

function isDisrupted(pod: Pod, reason: string): boolean {
  const condition = podCondition(pod, "DisruptionTarget");
  return condition?.status === "True" && condition.reason === reason;
}
