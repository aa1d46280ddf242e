import type { Pod, PodManifest, PodSpec } from "../../tools/sandbox/objects.ts";

const nameLabel = "pod-group.scheduling.sigs.k8s.io/name";
const koordinator = "gang.scheduling.koordinator.sh/";
const minAvailableLabel = "pod-group.scheduling.sigs.k8s.io/min-available";

/** What a test's pod asks for. */
export interface PodOptions {
  /** `nvidia.com/gpu`; none by default. */
  gpus?: number;
  priority?: number;
  /** Its gang, the quorum as the label says it, and the gang group as `namespace/name`. */
  gang?: {
    name: string;
    minAvailable: number | string;
    groups?: string[];
    matchPolicy?: string;
  };
  labels?: Record<string, string>;
  annotations?: Record<string, string>;
  /** More fields of the spec. */
  spec?: Partial<PodSpec>;
}

/** A pod of one container, of a gang or a regular one. */
export function podOf(name: string, options: PodOptions = {}): PodManifest {
  const { gpus = 0, priority = 0, gang, spec } = options;
  const labels = {
    ...options.labels,
    ...(gang && { [nameLabel]: gang.name, [minAvailableLabel]: String(gang.minAvailable) }),
  };
  const annotations = {
    ...options.annotations,
    ...(gang?.groups && { [`${koordinator}groups`]: JSON.stringify(gang.groups) }),
    ...(gang?.matchPolicy && { [`${koordinator}match-policy`]: gang.matchPolicy }),
  };
  return {
    metadata: {
      name,
      ...(Object.keys(labels).length > 0 && { labels }),
      ...(Object.keys(annotations).length > 0 && { annotations }),
    },
    spec: {
      containers: [{ name: "main", resources: { limits: { "nvidia.com/gpu": gpus } } }],
      priority,
      ...spec,
    },
  };
}

/** `<gang>-0` and so on. */
export function membersOf(gang: string, size: number): string[] {
  return Array.from({ length: size }, (_, index) => `${gang}-${index}`);
}

/** `namespace/name` of a pod's gang and its quorum, not a number where that is malformed; undefined for a regular pod. */
export function gangOf(pod: Pod): { id: string; minMember: number } | undefined {
  const { namespace, labels = {} } = pod.metadata;
  const name = labels[nameLabel];
  if (name === undefined) return undefined;
  return { id: `${namespace}/${name}`, minMember: Number(labels[minAvailableLabel]) };
}

/** Why the pod is not scheduled, as its condition says; undefined where nothing is said. */
export function whyPending(pod: Pod): string | undefined {
  const condition = pod.status.conditions?.find(({ type }) => type === "PodScheduled");
  return condition?.status === "False" ? condition.message : undefined;
}
