/**
 * PodDisruptionBudgets: how many pods may leave that belong together.
 *
 * @module
 */
import type { LabelSelector, ObjectMeta } from "../types.ts";
import { selects } from "./label_selector.ts";

/** A PodDisruptionBudget, as far as it matters. */
export interface DisruptionBudget {
  readonly metadata: ObjectMeta;
  readonly spec?: { readonly selector?: LabelSelector };
  readonly status?: { readonly disruptionsAllowed?: number };
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
