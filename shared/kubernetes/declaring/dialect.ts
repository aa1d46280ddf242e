/**
 * The dialects in which pods declare a gang (DESIGN section 4). One table; a dialect is a row of it.
 *
 * @module
 */
import { limits } from "../../core/gang/limits.ts";
import { type Declaration, defined, entered } from "./declaration.ts";
import { leaderAlone, leaderWorkerSet, replicaOf } from "./leader_worker_set.ts";
import {
  annotationDeclaration,
  kaiPodGroup,
  koordinator,
  kubeBatchPodGroup,
  nativePodGroup,
  type PodGroupKind,
  sigsPodGroup,
  volcanoPodGroup,
  xPodGroup,
} from "./pod_group.ts";
import { taskGroupDeclaration, taskGroupGang, taskGroupQuorum } from "./yunikorn.ts";
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
  /** Where the pod writes the quorum; absent: it does not. */
  readonly quorumField?: string;
  /** The kinds of PodGroup that may declare the rest: the first that there is does. None: the pods declare everything. */
  readonly podGroups: readonly PodGroupKind[];
  /** Why these, all the members that there are, may wait for ever for the others. */
  readonly neverWhole?: (members: readonly Pod[], minMember: number) => string | undefined;
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
    podGroups: [],
  },
  // KEP-4671
  {
    name: "native",
    nameField: "spec.schedulingGroup.podGroupName",
    gangName: (pod) => pod.spec.schedulingGroup?.podGroupName ?? undefined,
    declaration: () => ({}),
    podGroups: [nativePodGroup],
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
  // S4; Volcano's operators write the same annotation.
  annotated("kube-batch", {
    name: "scheduling.k8s.io/group-name",
    podGroups: [kubeBatchPodGroup, volcanoPodGroup],
  }),
  annotated("volcano", {
    name: "scheduling.volcano.sh/group-name",
    podGroups: [volcanoPodGroup],
  }),
  annotated("kai", { name: "pod-group-name", podGroups: [kaiPodGroup] }),
  {
    name: "yunikorn",
    nameField: "label applicationId",
    gangName: taskGroupGang,
    declaration: taskGroupDeclaration,
    quorumField: taskGroupQuorum,
    podGroups: [],
  },
  // Its pods always say this: whatever else they say comes first.
  {
    name: "leader-worker-set",
    nameField: `label ${leaderWorkerSet}name`,
    gangName: replicaOf,
    quorumField: `annotation ${leaderWorkerSet}size`,
    declaration: (pod) => ({
      ...quorumOf(pod.metadata.annotations, { kind: "annotation", key: `${leaderWorkerSet}size` }),
      ...koordinatorDeclaration(pod),
    }),
    podGroups: [],
    neverWhole: leaderAlone,
  },
];

function labels(
  name: string,
  keys: { name: string; minAvailable?: string; podGroup?: PodGroupKind },
): Dialect {
  const { minAvailable, podGroup } = keys;
  return {
    name,
    nameField: `label ${keys.name}`,
    gangName: (pod) => pod.metadata.labels?.[keys.name],
    declaration: (pod) => ({
      ...(minAvailable && quorumOf(pod.metadata.labels, { kind: "label", key: minAvailable })),
      // Annotations of S3 may stand beside any label.
      ...koordinatorDeclaration(pod),
    }),
    ...(minAvailable && { quorumField: `label ${minAvailable}` }),
    podGroups: podGroup ? [podGroup] : [],
  };
}

function annotated(
  name: string,
  keys: { name: string; podGroups: readonly PodGroupKind[] },
): Dialect {
  return {
    name,
    nameField: `annotation ${keys.name}`,
    gangName: (pod) => pod.metadata.annotations?.[keys.name],
    declaration: () => ({}),
    podGroups: keys.podGroups,
  };
}

function quorumOf(
  texts: Readonly<Record<string, string>> | undefined,
  { kind, key }: { kind: "label" | "annotation"; key: string },
): Declaration {
  const text = texts?.[key];
  return text === undefined
    ? {}
    : { minMember: { text: entered(text, limits.value), field: `${kind} ${key}` } };
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
