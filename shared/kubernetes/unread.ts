/**
 * What objects hold that nobody reads: on a large cluster most of the memory that their copies would take.
 *
 * @module
 */

import { limits } from "../core/gang/limits.ts";
import { resizePending, takenOtherwise } from "./counting/taken.ts";
import { readConditions } from "./pod_condition.ts";
import type { Pod } from "./types.ts";

type Parsed = Record<string, unknown>;
type Mutable<T> = { -readonly [field in keyof T]: T[field] };
type Ended = NonNullable<NonNullable<Pod["status"]>["containerStatuses"]>[number];

/** The largest parts of nodes, Jobs and others, by where they stand. */
const unread = {
  metadata: ["managedFields", "finalizers"],
  spec: ["volumes", "template"],
  status: [
    ...["images", "volumesInUse", "capacity", "nodeInfo", "addresses"],
  ],
} as const;
/** Of a pod's spec; with what `kubectl muster simulate` says of it. */
const readOfPods: ReadonlySet<string> = new Set([
  ...["nodeName", "schedulerName", "schedulingGroup", "schedulingGates", "priority"],
  ...["preemptionPolicy", "activeDeadlineSeconds", "containers", "initContainers", "resources"],
  ...["overhead", "nodeSelector", "affinity", "topologySpreadConstraints", "tolerations"],
  ...["resourceClaims", "runtimeClassName"],
]);
const readOfContainers: ReadonlySet<string> = new Set([
  ...["name", "ports", "resources", "restartPolicy"],
]);
const readOfStatuses: ReadonlySet<string> = new Set([
  ...["name", "state", "allocatedResources", "resources"],
]);
/** How those of a pod's annotations begin that dialects, Muster, policies and Kueue's words are read from, and static pods known by. */
const readAnnotation = new RegExp(`^(${
  [
    ...["muster.scheduling/", "policy.muster.scheduling/", "kueue.x-k8s.io/"],
    ...["gang.scheduling.koordinator.sh/", "scheduling.k8s.io/group-name", "yunikorn.apache.org/"],
    ...["scheduling.volcano.sh/group-name", "volcano.sh/task-spec", "pod-group-name"],
    ...["leaderworkerset.sigs.k8s.io/", "kubernetes.io/config.mirror"],
  ].join("|").replaceAll(".", "\\.")
})`);
/** Of an annotation: one letter more than any may have. */
const longest = limits.groupsText + 1;
/** Namespaces of a term, the pod's own one first. */
const mostNamespaces = 16;

/** Frees them, of an object that has just been parsed and is nobody else's. */
export function dropUnread(object: object): void {
  const parts = object as { [part in keyof typeof unread]?: Parsed };
  drop(parts.metadata, unread.metadata);
  drop(parts.spec, unread.spec);
  drop(parts.status, unread.status);
  if (parts.spec?.["containers"]) dropOfPod(object as Pod);
  // Of a node, whose taints say the same.
  if (parts.status?.["allocatable"]) drop(parts.status, ["conditions"]);
}

function dropOfPod(pod: Pod): void {
  dropOthers(pod.spec, readOfPods);
  for (const container of pod.spec.containers!) dropOthers(container, readOfContainers);
  for (const container of pod.spec.initContainers ?? []) dropOthers(container, readOfContainers);
  dropAnnotations(pod.metadata);
  dropNamespaces(pod);
  dropStatus(pod);
}

function dropOthers(part: object, fields: ReadonlySet<string>): void {
  for (const field in part) if (!fields.has(field)) (part as Parsed)[field] = undefined;
}

function dropAnnotations(metadata: Mutable<Pod["metadata"]> | undefined): void {
  if (!metadata?.annotations) return;
  const read: Record<string, string> = {};
  for (const [key, text] of Object.entries(metadata.annotations)) {
    if (readAnnotation.test(key)) read[key] = text.length > longest ? beginningOf(text) : text;
  }
  metadata.annotations = read;
}

/** Of what is longer nothing can be used. A part alone would keep the whole. */
function beginningOf(text: string): string {
  return JSON.parse(JSON.stringify(text.slice(0, longest)));
}

/** There may be as many as the pod is long. */
function dropNamespaces({ metadata, spec: { affinity = {} } }: Pod): void {
  for (const kind of [affinity.podAffinity, affinity.podAntiAffinity]) {
    for (const term of kind?.requiredDuringSchedulingIgnoredDuringExecution ?? []) {
      const { namespaces = [] } = term;
      if (namespaces.length <= mostNamespaces) continue;
      const own = namespaces.filter((name) => name === metadata.namespace).slice(0, 1);
      (term as Mutable<typeof term>).namespaces = [...own, ...namespaces].slice(0, mostNamespaces);
    }
  }
}

/** What a node says that a pod has is read where that is not what the pod asks for. */
function dropStatus(pod: Pod): void {
  const status = pod.status as Mutable<NonNullable<Pod["status"]>> | undefined;
  if (!status) return;
  const { conditions, containerStatuses = [], initContainerStatuses = [] } = status;
  const isRead = takenOtherwise(pod) !== undefined;
  // Of PodGroups all are kept, for whoever wrote them.
  const types: readonly string[] = isRead ? [...readConditions, resizePending] : readConditions;
  if (conditions) status.conditions = conditions.filter(({ type }) => types.includes(type));
  if (isRead) {
    for (const one of [...containerStatuses, ...initContainerStatuses]) {
      dropOthers(one, readOfStatuses);
    }
  } else {
    drop(status as Parsed, ["initContainerStatuses", "allocatedResources", "resources"]);
    dropContainers(status as Parsed);
  }
}

/** Of the containers of a pod it is read when they ended, once all have. */
function dropContainers(status: Parsed): void {
  const containers = status["containerStatuses"] as Ended[] | undefined;
  if (!containers) return;
  const times = containers.map(({ state }) => state?.terminated?.finishedAt);
  const isOver = times.every((time) => time !== undefined);
  status["containerStatuses"] = isOver
    ? times.map((finishedAt) => ({ state: { terminated: { finishedAt } } }))
    : undefined;
}

/** A field that is deleted costs its object more than one that is undefined. */
function drop(part: Parsed | undefined, fields: readonly string[]): void {
  for (const field of fields) if (part?.[field] !== undefined) part[field] = undefined;
}
