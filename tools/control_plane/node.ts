import type { ApiClient, KubernetesObject } from "./api_client.ts";

/** What a node offers, in the units of Kubernetes' quantities. */
export interface NodeResources {
  /** `nvidia.com/gpu`. */
  gpus: number;
  cpus: number;
  /** Such as `64Gi`. */
  memory: string;
  /** How many pods fit; 110 as on a real node by default. */
  pods?: number;
  /** Beside those that every node has. */
  labels?: Record<string, string>;
}

/** Creates a node and waits until it is Ready and no taint keeps pods away. */
export async function addNode(
  api: ApiClient,
  options: { name: string; resources: NodeResources },
): Promise<void> {
  const { name, resources } = options;
  const quantities = {
    cpu: String(resources.cpus),
    memory: resources.memory,
    pods: String(resources.pods ?? 110),
    "nvidia.com/gpu": String(resources.gpus),
  };
  await api.create("/api/v1/nodes", {
    apiVersion: "v1",
    kind: "Node",
    metadata: {
      name,
      labels: {
        "kubernetes.io/hostname": name,
        "kubernetes.io/os": "linux",
        "kubernetes.io/arch": "amd64",
        ...resources.labels,
      },
    },
    status: { allocatable: quantities, capacity: quantities },
  });
  await api.watchUntil(
    `/api/v1/nodes?fieldSelector=metadata.name%3D${name}`,
    (nodes) => nodes.some(isSchedulable),
    { timeoutMs: 60_000 },
  );
}

function isSchedulable(node: KubernetesObject): boolean {
  const conditions: { type: string; status: string }[] = node["status"]?.conditions ?? [];
  const ready = conditions.some(({ type, status }) => type === "Ready" && status === "True");
  return ready && (node["spec"]?.taints ?? []).length === 0;
}
