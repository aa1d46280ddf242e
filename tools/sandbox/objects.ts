/** The part of the Kubernetes object model that the sandbox works with. */
import type { Taint, Toleration } from "../../shared/kubernetes/types.ts";

/** Object metadata, as far as the sandbox reads it. */
export interface ObjectMeta {
  name: string;
  namespace?: string;
  uid: string;
  resourceVersion: string;
  /** RFC 3339, whole seconds, as the API server writes it. */
  creationTimestamp: string;
  deletionTimestamp?: string;
  generateName?: string;
  generation?: number;
  labels?: Record<string, string>;
  annotations?: Record<string, string>;
  finalizers?: string[];
}

/** Any stored object. */
export interface KubeObject {
  apiVersion: string;
  kind: string;
  metadata: ObjectMeta;
  spec?: unknown;
  status?: unknown;
  [field: string]: unknown;
}

/** A condition of a pod or a node. */
export interface Condition {
  type: string;
  status: "True" | "False" | "Unknown";
  reason?: string;
  message?: string;
  lastProbeTime?: string | null;
  lastTransitionTime?: string;
}

/** Quantities by resource name, as users write them: `{ cpu: "500m" }`. */
export type ResourceList = Record<string, string | number>;

/** A container; the image is never pulled. */
export interface Container {
  name: string;
  image?: string;
  restartPolicy?: string;
  resources?: { requests?: ResourceList; limits?: ResourceList };
}

/** The part of a pod's spec that scheduling depends on. */
export interface PodSpec {
  containers: Container[];
  initContainers?: Container[];
  nodeName?: string;
  nodeSelector?: Record<string, string>;
  priority?: number;
  preemptionPolicy?: "PreemptLowerPriority" | "Never";
  schedulerName?: string;
  schedulingGates?: { name: string }[];
  tolerations?: readonly Toleration[];
  [field: string]: unknown;
}

/** A pod's status. */
export interface PodStatus {
  phase?: "Pending" | "Running" | "Succeeded" | "Failed";
  conditions?: Condition[];
  nominatedNodeName?: string;
  startTime?: string;
  [field: string]: unknown;
}

/** A stored pod. */
export interface Pod extends KubeObject {
  metadata: ObjectMeta & { namespace: string };
  spec: PodSpec;
  status: PodStatus;
}

/** A stored node. */
export interface Node extends KubeObject {
  spec: { unschedulable?: boolean; taints?: readonly Taint[] };
  status: { allocatable?: ResourceList; capacity?: ResourceList; conditions?: Condition[] };
}

/** What a user submits to create a pod. */
export interface PodManifest {
  metadata: {
    name?: string;
    generateName?: string;
    namespace?: string;
    labels?: Record<string, string>;
    annotations?: Record<string, string>;
    finalizers?: string[];
  };
  spec: PodSpec;
}

/** `namespace/name`, or the bare name of an object without a namespace. */
export function objectKey(object: { metadata: { namespace?: string; name: string } }): string {
  const { namespace, name } = object.metadata;
  return namespace === undefined ? name : `${namespace}/${name}`;
}

/** The condition of this type, if the pod or node has one. */
export function conditionOf<Of extends { readonly type: string }>(
  object: { readonly status?: { readonly conditions?: readonly Of[] } | undefined },
  type: string,
): Of | undefined {
  return object.status?.conditions?.find((condition) => condition.type === type);
}

/** The time as Kubernetes writes it: RFC 3339 in whole seconds. */
export function kubeTime(milliseconds: number): string {
  return new Date(milliseconds).toISOString().replace(/\.\d+Z$/, "Z");
}

/** True when a value is a plain JSON object. */
export function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** Whether a pod has ended, and takes no room any more. */
export function isOver(pod: { status?: { phase?: string } }): boolean {
  return pod.status?.phase === "Succeeded" || pod.status?.phase === "Failed";
}

/** A pod's priority; 0 without one. */
export function priorityOf(pod: { spec: { priority?: number } }): number {
  return pod.spec.priority ?? 0;
}
