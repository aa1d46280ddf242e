import type { KubernetesObject } from "../../../tools/control_plane/api_client.ts";

const nameLabel = "pod-group.scheduling.sigs.k8s.io/name";
const minAvailableLabel = "pod-group.scheduling.sigs.k8s.io/min-available";
const koordinator = "gang.scheduling.koordinator.sh/";

/** What a test's pod asks for. */
export interface PodOptions {
  /** `nvidia.com/gpu`; none by default. */
  gpus?: number;
  /** Its gang and the quorum as the label says it. */
  gang?: { name: string; minAvailable: number | string };
  labels?: Record<string, string>;
  annotations?: Record<string, string>;
  /** More fields of the spec. */
  spec?: object;
}

/** A pod of one container for scheduler `muster`. */
export function podOf(name: string, options: PodOptions = {}): object {
  const { gpus = 0, gang, labels = {}, annotations = {}, spec = {} } = options;
  const resources = gpus === 0 ? {} : { limits: { "nvidia.com/gpu": String(gpus) } };
  return {
    apiVersion: "v1",
    kind: "Pod",
    metadata: { name, labels: { ...labels, ...(gang && gangLabels(gang)) }, annotations },
    spec: {
      schedulerName: "muster",
      containers: [{ name: "main", image: "none", resources }],
      ...spec,
    },
  };
}

/** The two labels of a gang's members. */
export function gangLabels(gang: NonNullable<PodOptions["gang"]>): Record<string, string> {
  return { [nameLabel]: gang.name, [minAvailableLabel]: String(gang.minAvailable) };
}

/** Koordinator's annotations, by what follows their prefix: `name`, `min-available`, `groups` and so on. */
export function koordinatorAnnotations(
  values: { name: string } & Record<string, string>,
): Record<string, string> {
  return Object.fromEntries(
    Object.entries(values).map(([name, value]) => [koordinator + name, value]),
  );
}

/** `namespace/name` of the pod's gang and its quorum, not a number where the label is malformed; undefined for a regular pod. */
export function gangOf(pod: KubernetesObject): { id: string; minMember: number } | undefined {
  const { namespace, labels = {}, annotations = {} } = pod.metadata;
  const name = annotations[`${koordinator}name`] ?? labels[nameLabel];
  if (name === undefined) return undefined;
  const minMember = annotations[`${koordinator}min-available`] ?? labels[minAvailableLabel];
  return { id: `${namespace}/${name}`, minMember: Number(minMember) };
}

/** Whether the pod has a node. */
export function isBound(pod: KubernetesObject): boolean {
  return pod["spec"].nodeName !== undefined;
}

/** Why the pod is not scheduled, as its condition says; undefined where nothing is said. */
export function whyPending(pod: KubernetesObject): string | undefined {
  const conditions: { type: string; status: string; message?: string }[] =
    pod["status"].conditions ?? [];
  const scheduled = conditions.find(({ type }) => type === "PodScheduled");
  return scheduled?.status === "False" ? scheduled.message : undefined;
}

/** Requires a pod with label `app` of this value in the same namespace, somewhere in the cluster: the fit does not model this. */
export function needs(app: string): object {
  return {
    affinity: {
      podAffinity: {
        requiredDuringSchedulingIgnoredDuringExecution: [{
          labelSelector: { matchLabels: { app } },
          topologyKey: "kubernetes.io/os",
        }],
      },
    },
  };
}

export const needsAnchor: object = needs("anchor");
