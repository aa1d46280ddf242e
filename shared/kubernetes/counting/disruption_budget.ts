/**
 * PodDisruptionBudgets: how many pods may leave that belong together.
 *
 * @module
 */
import type { LabelSelector, ObjectMeta, Pod } from "../types.ts";
import { podCondition } from "../pod_condition.ts";
import { selects } from "./label_selector.ts";

/** A PodDisruptionBudget, as far as it matters. */
export interface DisruptionBudget {
  readonly metadata: ObjectMeta;
  readonly spec?: {
    readonly selector?: LabelSelector;
    readonly unhealthyPodEvictionPolicy?: string;
  };
  readonly status?: {
    readonly disruptionsAllowed?: number;
    readonly currentHealthy?: number;
    readonly desiredHealthy?: number;
  };
}

/** Where PodDisruptionBudgets are served. */
export const disruptionBudgets = {
  group: "policy",
  versions: ["v1"],
  plural: "poddisruptionbudgets",
} as const;

/** Whether a pod is under a budget; one without a selector is no pod's, one with an empty selector every pod's. */
export function isUnder(
  { metadata, spec }: DisruptionBudget,
  pod: { readonly metadata: Pick<ObjectMeta, "namespace" | "labels"> },
): boolean {
  const { selector } = spec ?? {};
  if (!selector || metadata.namespace !== pod.metadata.namespace) return false;
  return selects(selector, pod.metadata.labels ?? {});
}

/**
 * Whether the Eviction API lets a pod go whatever the budgets that it is under allow: it has not started, or is not ready, and
 * its only budget does not need it.
 */
export function leavesFreely(
  pod: Pod,
  budgets: readonly DisruptionBudget[],
): boolean {
  if (pod.status?.phase === "Pending") return true;
  const isReady = podCondition(pod, "Ready")?.status === "True";
  const [budget] = budgets;
  if (isReady || !budget || budgets.length > 1) return false;
  const { currentHealthy = 0, desiredHealthy = 0 } = budget.status ?? {};
  return budget.spec?.unhealthyPodEvictionPolicy === "AlwaysAllow" ||
    desiredHealthy > 0 && currentHealthy >= desiredHealthy;
}
