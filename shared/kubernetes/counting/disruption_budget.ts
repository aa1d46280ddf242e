/**
 * PodDisruptionBudgets: how many pods may leave that belong together.
 *
 * @module
 */
import { labelOf } from "../../core/gang/label.ts";
import { meets } from "./node_match.ts";
import type { NodeSelectorRequirement, ObjectMeta } from "../types.ts";

/** A PodDisruptionBudget, as far as it matters. */
export interface DisruptionBudget {
  readonly metadata: ObjectMeta;
  readonly spec?: {
    readonly selector?: {
      readonly matchLabels?: Readonly<Record<string, string>>;
      readonly matchExpressions?: readonly NodeSelectorRequirement[];
    };
  };
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
  const labels = pod.metadata.labels ?? {};
  const { matchLabels = {}, matchExpressions = [] } = selector;
  return Object.entries(matchLabels).every(([key, value]) => labelOf(labels, key) === value) &&
    matchExpressions.every((requirement) => meets(requirement, labelOf(labels, requirement.key)));
}
