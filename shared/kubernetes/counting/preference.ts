/**
 * What is said of where a pod would rather run. Nothing hangs on it: only the scheduler weighs it.
 *
 * @module
 */
import type { Node, Pod, Taint } from "../types.ts";
import { tolerates } from "./node_match.ts";

/** Whether neither the pod nor one of the nodes says where it would rather run: the scheduler weighs only what is free there. */
export function isIndifferent(pod: Pod, nodes: Iterable<Node>): boolean {
  if (hasPreference(pod)) return false;
  for (const node of nodes) if (reservationsOf(node, pod).length > 0) return false;
  return true;
}

/** Whether a node is the last choice for pods that do not tolerate that. */
export function isLastChoice({ spec }: Node): boolean {
  return spec?.taints?.some(isReservation) ?? false;
}

function isReservation({ effect }: Taint): boolean {
  return effect === "PreferNoSchedule";
}

/** Taints of a node by which it is the last choice for a pod: the scheduler's TaintToleration plugin counts them. */
export function reservationsOf({ spec }: Node, pod: Pod): Taint[] {
  const { tolerations = [] } = pod.spec;
  return (spec?.taints ?? []).filter((taint) =>
    isReservation(taint) &&
    !tolerations.some((toleration) => tolerates(toleration, taint))
  );
}

/**
 * Whether a pod says where it would rather run. Where pods are to be near each other, or apart, even a rule leaves the scheduler
 * a choice that is weighed.
 */
export function hasPreference(
  { spec: { affinity = {}, topologySpreadConstraints } }: Pod,
): boolean {
  const { nodeAffinity, podAffinity, podAntiAffinity } = affinity;
  const said = [
    nodeAffinity?.preferredDuringSchedulingIgnoredDuringExecution,
    podAffinity?.preferredDuringSchedulingIgnoredDuringExecution,
    podAffinity?.requiredDuringSchedulingIgnoredDuringExecution,
    podAntiAffinity?.preferredDuringSchedulingIgnoredDuringExecution,
    topologySpreadConstraints,
  ];
  return said.some((rules) => rules !== undefined && rules.length > 0);
}
