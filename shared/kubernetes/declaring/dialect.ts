/**
 * The dialects in which pods declare a gang (DESIGN section 4). One table; a dialect is a row of it.
 *
 * @module
 */
import { limits } from "../../core/gang/limits.ts";
import { type Declaration, defined, entered } from "./declaration.ts";
import {
  annotationDeclaration,
  koordinator,
  kubeBatchPodGroup,
  nativePodGroup,
  type PodGroupKind,
  sigsPodGroup,
  xPodGroup,
} from "./pod_group.ts";
import type { Pod } from "../types.ts";

/** How pods point to their gang, and what they say about it themselves. */
export interface Dialect {
  readonly name: string;
  /** Where the gang is named. */
  readonly nameField: string;
  /** The gang that the pod points to. */
  readonly gangName: (pod: Pod) => string | undefined;
  /** What the pod declares. */
  readonly declaration: (pod: Pod) => Declaration;
  /** Where the quorum is written when the pod does not say it. */
  readonly quorumField: string;
  /** The kind of PodGroup that declares the rest; absent: the pods declare everything. */
  readonly podGroup?: PodGroupKind;
  /** Another API group whose PodGroups are pointed to in the same way, but are not read. */
  readonly unreadGroup?: string;
}

/** The dialects; among those that a pod uses the first one rules. */
export const dialects: readonly Dialect[] = [
  // S3
  {
    name: "koordinator",
    nameField: `annotation ${koordinator}name`,
    gangName: (pod) => pod.metadata.annotations?.[`${koordinator}name`],
    declaration: koordinatorDeclaration,
    quorumField: `annotation ${koordinator}min-available`,
  },
  // KEP-4671
  {
    name: "native",
    nameField: "spec.schedulingGroup.podGroupName",
    gangName: (pod) => pod.spec.schedulingGroup?.podGroupName,
    declaration: () => ({}),
    quorumField: "spec.schedulingPolicy.gang.minCount",
    podGroup: nativePodGroup,
  },
  // S3
  labels("sigs-crd", { name: "pod-group.scheduling.sigs.k8s.io", podGroup: sigsPodGroup }),
  // S1, S2
  labels("sigs", {
    name: "pod-group.scheduling.sigs.k8s.io/name",
    minAvailable: "pod-group.scheduling.sigs.k8s.io/min-available",
  }),
  // S0
  labels("kep", { name: "pod-group/name", minAvailable: "pod-group/min-available" }),
  labels("scheduler-plugins", { name: "scheduling.x-k8s.io/pod-group", podGroup: xPodGroup }),
  // S4
  {
    name: "kube-batch",
    nameField: "annotation scheduling.k8s.io/group-name",
    gangName: (pod) => pod.metadata.annotations?.["scheduling.k8s.io/group-name"],
    declaration: () => ({}),
    quorumField: "spec.minMembers",
    podGroup: kubeBatchPodGroup,
    unreadGroup: "scheduling.volcano.sh",
  },
];

function labels(
  name: string,
  keys: { name: string; minAvailable?: string; podGroup?: PodGroupKind },
): Dialect {
  const { minAvailable, podGroup } = keys;
  const quorumField = minAvailable ? `label ${minAvailable}` : "spec.minMember";
  return {
    name,
    nameField: `label ${keys.name}`,
    gangName: (pod) => pod.metadata.labels?.[keys.name],
    quorumField,
    declaration: (pod) => {
      const text = minAvailable === undefined ? undefined : pod.metadata.labels?.[minAvailable];
      // Annotations of S3 may stand beside any label.
      const annotations = koordinatorDeclaration(pod);
      return text === undefined
        ? annotations
        : { minMember: { text: entered(text, limits.value), field: quorumField }, ...annotations };
    },
    ...(podGroup && { podGroup }),
  };
}

function koordinatorDeclaration(pod: Pod): Declaration {
  return defined(annotationDeclaration(pod.metadata.annotations));
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
      const { namespace } = pod.metadata;
      return { dialect, namespace, name: entered(name, limits.gangName) };
    }
  }
  return undefined;
}
