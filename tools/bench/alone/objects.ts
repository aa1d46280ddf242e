import type { KubeObject, Pod } from "../../sandbox/objects.ts";

let created = 0;

const zone = "topology.kubernetes.io/zone";

/** A node as a cloud's look: labels, conditions and images that nobody here reads. */
export function nodeObject(name: string, gpus: number): KubeObject {
  const quantities = {
    cpu: String(8 * gpus),
    memory: `${32 * gpus}Gi`,
    pods: String(10 * gpus),
    "ephemeral-storage": "500Gi",
    "nvidia.com/gpu": String(gpus),
  };
  const labels = { "kubernetes.io/hostname": name, "kubernetes.io/os": "linux", [zone]: "a" };
  const types = ["MemoryPressure", "DiskPressure", "PIDPressure", "Ready"];
  return {
    apiVersion: "v1",
    kind: "Node",
    metadata: { ...metadataOf(name), labels, managedFields: [managed("kubelet", 20)] },
    spec: {},
    status: {
      allocatable: quantities,
      capacity: quantities,
      conditions: types.map((type) => ({
        type,
        status: type === "Ready" ? "True" : "False",
        reason: "KubeletReady",
        message: "kubelet is posting ready status",
        lastHeartbeatTime: "2026-01-01T00:00:00Z",
      })),
      images: Array.from({ length: 20 }, (_, image) => ({
        names: [`registry.example.com/team/image-${image}@sha256:${"0".repeat(64)}`],
        sizeBytes: image * 1e6,
      })),
    },
  } as unknown as KubeObject;
}

/** A pod of 1 GPU, about as large as pods of a training job are (4 kB); with a node, it runs there. */
export function podObject(
  { name, gang, node }: { name: string; gang?: { name: string; size: number }; node?: string },
): Pod {
  const labels = gang && {
    "pod-group.scheduling.sigs.k8s.io/name": gang.name,
    "pod-group.scheduling.sigs.k8s.io/min-available": String(gang.size),
  };
  const condition = { status: "True", lastTransitionTime: "2026-01-01T00:00:00Z" };
  const types = ["PodScheduled", "Initialized", "ContainersReady", "Ready"];
  return {
    apiVersion: "v1",
    kind: "Pod",
    metadata: {
      ...metadataOf(name),
      namespace: "bench",
      labels: { app: "bench", ...labels },
      managedFields: [managed("kube-controller-manager", 40), managed("kubelet", 30)],
    },
    spec: {
      schedulerName: "muster",
      priority: 0,
      ...(node !== undefined && { nodeName: node }),
      containers: [{
        name: "main",
        image: "registry.example.com/team/trainer:1.0",
        resources: {
          limits: { "nvidia.com/gpu": "1" },
          requests: { cpu: "1", memory: "4Gi", "nvidia.com/gpu": "1" },
        },
        env: Array.from({ length: 10 }, (_, index) => ({ name: `NAME_${index}`, value: "value" })),
        volumeMounts: [{ name: "token", mountPath: "/var/run/secrets/kubernetes.io" }],
      }],
      tolerations: ["not-ready", "unreachable"].map((key) => ({
        key: `node.kubernetes.io/${key}`,
        operator: "Exists",
        effect: "NoExecute",
        tolerationSeconds: 300,
      })),
    },
    status: node === undefined
      ? { phase: "Pending" }
      : { phase: "Running", conditions: types.map((type) => ({ type, ...condition })) },
  } as unknown as Pod;
}

function metadataOf(name: string) {
  return {
    name,
    uid: `00000000-0000-4000-8000-${String(++created).padStart(12, "0")}`,
    resourceVersion: "1",
    generation: 1,
    creationTimestamp: "2026-01-01T00:00:00Z",
  };
}

function managed(manager: string, fields: number): object {
  const fieldsV1 = Object.fromEntries(
    Array.from({ length: fields }, (_, index) => [`f:field-${index}`, { "f:value": {} }]),
  );
  return { manager, operation: "Update", apiVersion: "v1", fieldsType: "FieldsV1", fieldsV1 };
}
