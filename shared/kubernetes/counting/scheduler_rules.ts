/**
 * Rules by which a pod is taken on a node that only the scheduler knows: plans learn of them by trying.
 *
 * @module
 */
import type { Pod, PodAffinityTerm } from "../types.ts";

/**
 * What kinds of such rules a pod has, in words: affinity to other pods and spreading, by topology key, and claims of devices. Whom and
 * which claims they name is not told: that may be another for each pod of a template.
 */
export function schedulerRulesOf({ spec }: Pod): readonly string[] {
  const { affinity: { podAffinity, podAntiAffinity } = {} } = spec;
  const spread = spec.topologySpreadConstraints?.filter(isStrict) ?? [];
  return [
    ...keysOf(podAffinity?.requiredDuringSchedulingIgnoredDuringExecution, "beside"),
    ...keysOf(podAntiAffinity?.requiredDuringSchedulingIgnoredDuringExecution, "apart"),
    ...keysOf(spread, "spread"),
    ...(spec.resourceClaims?.length ? [`claims ${spec.resourceClaims.length}`] : []),
  ];
}

function isStrict({ whenUnsatisfiable }: { readonly whenUnsatisfiable?: string }): boolean {
  return whenUnsatisfiable === "DoNotSchedule";
}

function keysOf(
  terms: readonly Pick<PodAffinityTerm, "topologyKey">[] = [],
  how: string,
): readonly string[] {
  return [...new Set(terms.map(({ topologyKey }) => `${how} ${topologyKey}`))].sort();
}
