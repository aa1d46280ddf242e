/**
 * What Muster writes to the API server.
 *
 * @module
 */
import type { PodRef } from "../core/gang/facts.ts";
import { apiPath } from "./api_path.ts";
import { ownGate } from "./counting/census.ts";
import type { PodGroup } from "./declaring/pod_group.ts";
import type { PodGroupStatus } from "./status/summary.ts";
import type { Subject } from "./subject.ts";
import type { Condition, Pod } from "./types.ts";

/** A request that changes something; a body without a patch's type is JSON. */
export interface Write {
  readonly method: "POST" | "PATCH";
  readonly path: string;
  readonly body: object;
  readonly type?: string;
}

type Metadata = Pod["metadata"];
type Named = Pick<Metadata, "namespace" | "name">;
/** With its uid a write is refused with 409 if it is another pod of that name. */
type One = Named & Pick<Metadata, "uid">;

const merge = "application/merge-patch+json";
const strategicMerge = "application/strategic-merge-patch+json";

/** Merges into what is at a path. */
export function mergePatch(path: string, body: object): Write {
  return { method: "PATCH", path, body, type: merge };
}

/** A pod, and the node that it is bound to. */
export type BoundPod = PodRef & { readonly node: string };

/** Binds a pod to a node; refused with 409 also if it is bound already. */
export function binding({ namespace, name, uid, node }: BoundPod): Write {
  const body = {
    apiVersion: "v1",
    kind: "Binding",
    metadata: { namespace, name, uid },
    target: { apiVersion: "v1", kind: "Node", name: node },
  };
  return { method: "POST", path: `${podPath({ namespace, name })}/binding`, body };
}

/** Asks a pod to leave; refused with 429 where a PodDisruptionBudget keeps it. */
export function eviction({ namespace, name, uid }: One): Write {
  const body = {
    apiVersion: "policy/v1",
    kind: "Eviction",
    metadata: { namespace, name },
    deleteOptions: { preconditions: { uid } },
  };
  return { method: "POST", path: `${podPath({ namespace, name })}/eviction`, body };
}

/** Sets annotations of a pod; refused with 409 if another one has its name. */
export function annotation({ uid, ...pod }: One, annotations: Record<string, string>): Write {
  return mergePatch(podPath(pod), { metadata: { uid, annotations } });
}

/** Wakes a pod in the scheduler's queue by an annotation, and may say where it is to go; `at` is in ms since the epoch. */
export function poke({ node, at, ...pod }: One & { node?: string | undefined; at: number }): Write {
  const annotations = { "muster.scheduling/poked": new Date(at).toISOString() };
  return node === undefined ? annotation(pod, annotations) : nomination(pod, { node, annotations });
}

/** Says where a pod is to go, and sets annotations of it. */
export function nomination(
  { uid, ...pod }: One,
  { node, annotations }: { node: string; annotations?: Record<string, string> },
): Write {
  return mergePatch(`${podPath(pod)}/status`, {
    metadata: { uid, ...(annotations && { annotations }) },
    status: { nominatedNodeName: node },
  });
}

/** Clears where a pod is to go; with a version refused with 409 if the pod is not as it was seen. */
export function noNomination({ uid, resourceVersion, ...pod }: One & Partial<Metadata>): Write {
  return mergePatch(`${podPath(pod)}/status`, {
    metadata: { uid, resourceVersion },
    status: { nominatedNodeName: null },
  });
}

/** Removes Muster's scheduling gate of a pod; gates of others stay. */
export function ungating({ uid, ...pod }: One): Write {
  const spec = { schedulingGates: [{ $patch: "delete", name: ownGate }] };
  const body = { metadata: { uid }, spec };
  return { method: "PATCH", path: podPath(pod), body, type: strategicMerge };
}

/** Sets a condition of a pod; refused with 409 if the pod is not as it was seen: it may have been bound meanwhile. */
export function conditionOf(
  { uid, resourceVersion, ...pod }: Metadata,
  condition: Condition,
): Write {
  const body = { metadata: { uid, resourceVersion }, status: { conditions: [condition] } };
  return { method: "PATCH", path: `${podPath(pod)}/status`, body, type: strategicMerge };
}

/**
 * Sets fields of the status of a PodGroup, or of what PodGroups are in, of a kind without the subresource; refused with 409 if it is another PodGroup of that name,
 * or another relay has written meanwhile.
 */
export function statusOf(
  { apiVersion, metadata }: PodGroup,
  { plural, status }: { plural: string; status: PodGroupStatus },
): Write {
  const { namespace, name, resourceVersion } = metadata;
  const [group = "", version = ""] = apiVersion.split("/");
  const path = apiPath`/apis/${group}/${version}/namespaces/${namespace}/${plural}/${name}`;
  return mergePatch(path, { metadata: { resourceVersion }, status });
}

/** What an event says. */
export interface Words {
  readonly type: "Normal" | "Warning";
  readonly reason: string;
  readonly message: string;
}

/** Writes an event about something; `id` tells it from others about that, and `at` is in ms since the epoch. */
export function event(
  { apiVersion, kind, metadata }: Subject,
  { type, reason, message, id, at }: Words & { id: string; at: number },
): Write {
  const { namespace, name, uid, resourceVersion } = metadata;
  const time = new Date(at).toISOString();
  const body = {
    apiVersion: "v1",
    kind: "Event",
    metadata: { namespace, name: `${name.slice(0, 200)}.${id}` },
    involvedObject: { apiVersion, kind, namespace, name, uid, resourceVersion },
    type,
    reason,
    message,
    source: { component: "muster-relay" },
    reportingComponent: "muster.scheduling/relay",
    firstTimestamp: time,
    lastTimestamp: time,
    count: 1,
  };
  return { method: "POST", path: apiPath`/api/v1/namespaces/${namespace}/events`, body };
}

/** Says to the admission policy (deploy/admission) whether new members are gated. */
export function gating(value: "on" | "off"): Write {
  const { namespace, name } = gateParameter;
  const path = apiPath`/api/v1/namespaces/${namespace}/configmaps/${name}`;
  return mergePatch(path, { metadata: { labels: { [gateLabel]: value } } });
}

/** The ConfigMap that is the parameter of the admission policy. */
export const gateParameter = { namespace: "muster-system", name: "muster-gate" };
/** Its label that says whether the policy gates. */
export const gateLabel = "muster.scheduling/gate";

function podPath({ namespace, name }: Named): string {
  return apiPath`/api/v1/namespaces/${namespace}/pods/${name}`;
}
