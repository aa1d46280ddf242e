/**
 * Builders for Kubernetes objects, as the API server would show them.
 *
 * @module
 */
import type { PodRecord } from "../../shared/cluster/pod_record.ts";
import type { Call } from "../../shared/core/attend/snapshot.ts";
import type { PodGroup } from "../../shared/kubernetes/declaring/pod_group.ts";
import type { Container, Node, Pod, ResourceList } from "../../shared/kubernetes/types.ts";
import { at } from "./facts.ts";

/** A pod by what matters about it; `age` is in seconds. */
export interface PodParts extends Partial<Pod["spec"]> {
  name?: string;
  namespace?: string;
  age?: number;
  labels?: Record<string, string>;
  annotations?: Record<string, string>;
  phase?: string;
  isTerminating?: boolean;
}

/** Pod default/p without requests, but for `parts`. */
export function podOf(parts: PodParts = {}): Pod {
  const { name = "p", namespace = "default", age = 0, phase = "Pending", ...rest } = parts;
  const { labels, annotations, isTerminating, ...spec } = rest;
  return {
    metadata: {
      name,
      namespace,
      uid: `uid-${name}`,
      creationTimestamp: at(-age),
      ...(isTerminating && { deletionTimestamp: at(0) }),
      ...(labels && { labels }),
      ...(annotations && { annotations }),
    },
    spec,
    status: { phase },
  };
}

/** A container that requests so much. */
export function container(requests: ResourceList, more: Partial<Container> = {}): Container {
  return { resources: { requests }, ...more };
}

/** PodGroup default/tf of any dialect, ten minutes old. */
export function podGroupOf(
  spec: Record<string, unknown>,
  annotations: Record<string, string> = {},
): PodGroup {
  return {
    apiVersion: "any/v1",
    metadata: {
      namespace: "default",
      name: "tf",
      uid: "uid-pg",
      creationTimestamp: at(-600),
      annotations,
    },
    spec,
  };
}

/** Node n by its labels and spec. */
export function nodeOf(
  { labels = {}, ...spec }: { labels?: Record<string, string> } & NonNullable<Node["spec"]> = {},
): Node {
  return { metadata: { name: "n", uid: "uid-n", labels }, spec };
}

/** The open bind call of a pod to a node. */
export function callTo(node: string, { pod, gang = "" }: PodRecord): Call {
  const { namespace = "", name, uid } = pod.metadata;
  return { id: 1, pod: { namespace, name, uid, node }, gang, openedAt: 0, isGranted: false };
}
