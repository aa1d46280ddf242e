/**
 * Pods that had to leave.
 *
 * @module
 */
import type { Pod } from "../types.ts";

/** Whether a scheduler evicts a pod for one of higher priority; it says so before it deletes the pod. */
export function isPreempted({ status }: Pod): boolean {
  return status?.conditions?.some((condition) =>
    condition.type === "DisruptionTarget" && condition.status === "True" &&
    condition.reason === "PreemptionByScheduler"
  ) ?? false;
}
