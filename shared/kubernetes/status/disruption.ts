/**
 * Pods that had to leave.
 *
 * @module
 */
import type { Pod } from "../types.ts";

/** Whether a scheduler evicts a pod for one of higher priority; it says so before it deletes the pod. */
export function isPreempted(pod: Pod): boolean {
  return isDisrupted(pod, "PreemptionByScheduler");
}

/** Whether a pod was evicted through the Eviction API, which says so before it deletes the pod. */
export function isEvicted(pod: Pod): boolean {
  return isDisrupted(pod, "EvictionByEvictionAPI");
}

function isDisrupted({ status }: Pod, reason: string): boolean {
  return status?.conditions?.some((condition) =>
    condition.type === "DisruptionTarget" && condition.status === "True" &&
    condition.reason === reason
  ) ?? false;
}
