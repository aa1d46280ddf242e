/**
 * The dialects in which pods declare a gang (DESIGN section 4). One table; a dialect is a row of it.
 *
 * @module
 */
import type { Pod } from "./types.ts";

/** How pods point to their gang, and what they may say about it. */
export interface Dialect {
  readonly name: string;
  /** The gang that the pod points to. */
  readonly gangName: (pod: Pod) => string | undefined;
  /** Where the quorum is written, for messages. */
  readonly quorumField: string;
  /** The quorum as the user wrote it. */
  readonly quorum: (pod: Pod) => string | undefined;
}

/** The dialects; among those that a pod uses the first one rules. */
export const dialects: readonly Dialect[] = [
  // S1, S2
  labels("sigs", {
    name: "pod-group.scheduling.sigs.k8s.io/name",
    minAvailable: "pod-group.scheduling.sigs.k8s.io/min-available",
  }),
  // S0
  labels("kep", { name: "pod-group/name", minAvailable: "pod-group/min-available" }),
];

function labels(name: string, keys: { name: string; minAvailable: string }): Dialect {
  return {
    name,
    gangName: (pod) => pod.metadata.labels?.[keys.name],
    quorumField: `label ${keys.minAvailable}`,
    quorum: (pod) => pod.metadata.labels?.[keys.minAvailable],
  };
}

/** A pod's dialect and gang. */
export interface Membership {
  readonly dialect: Dialect;
  readonly namespace: string;
  readonly name: string;
}

/** The gang that a pod belongs to, or undefined for a regular pod. */
export function membershipOf(pod: Pod): Membership | undefined {
  for (const dialect of dialects) {
    const name = dialect.gangName(pod);
    if (name !== undefined && name !== "") {
      return { dialect, namespace: pod.metadata.namespace, name };
    }
  }
  return undefined;
}
