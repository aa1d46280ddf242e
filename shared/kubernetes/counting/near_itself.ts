/**
 * By what members of a gang are kept beside each other: required affinity to pods like themselves.
 *
 * @module
 */
import { limits } from "../../core/gang/limits.ts";
import type { Pod } from "../types.ts";
import { concernsItself } from "./exclusive.ts";

const host = "kubernetes.io/hostname";

/** Node labels, the narrowest first: the scheduler takes a pod only in a domain of each that has such pods, if there are any. */
export function nearItself(pod: Pod): readonly string[] {
  const terms = pod.spec.affinity?.podAffinity?.requiredDuringSchedulingIgnoredDuringExecution;
  if (!terms) return [];
  const keys = new Set(
    terms.filter((term) => concernsItself(pod, term)).map(({ topologyKey }) => topologyKey),
  );
  return [...keys].sort((a, b) => Number(b === host) - Number(a === host))
    .slice(0, limits.preferredLevels);
}
