/**
 * Generated workloads whose constraints are all modelled: nodes, pods that run on them, and gangs that come one after another.
 *
 * @module
 */
import type { KubernetesObject } from "../../../tools/control_plane/api_client.ts";
import type { NodeResources } from "../../../tools/control_plane/node.ts";
import { Chance } from "../../../tools/chance.ts";
import { gangLabels } from "../support/pods.ts";

/** A node of a workload. */
export interface WorkloadNode extends NodeResources {
  name: string;
  labels: Record<string, string>;
  taints: object[];
}

/** A gang of a workload, its pods in the order in which they are created. */
export interface WorkloadGang {
  name: string;
  minMember: number;
  pods: KubernetesObject[];
}

/** What happens on nodes of its own. */
export interface Workload {
  nodes: WorkloadNode[];
  /** Without a gang; they come first. */
  regular: KubernetesObject[];
  /** The same, which wait when simulate is asked, ahead of the gangs; they evict nobody. */
  ahead: KubernetesObject[];
  gangs: WorkloadGang[];
}

const taint = { key: "dedicated", value: "training", effect: "NoSchedule" };

/** The workload of a seed, in a namespace; its pods stay on its nodes. */
export function workloadOf(seed: number, namespace: string): Workload {
  const chance = new Chance(seed);
  const nodes = Array.from({ length: 2 + chance.below(3) }, (_, index): WorkloadNode => ({
    name: `${namespace}-${index}`,
    cpus: 4 + 4 * chance.below(3),
    memory: `${8 + 8 * chance.below(3)}Gi`,
    gpus: 2 * chance.below(3),
    pods: chance.percent(15) ? 3 : 110,
    labels: { workload: namespace, zone: chance.percent(50) ? "a" : "b" },
    taints: chance.percent(20) ? [taint] : [],
  }));
  const evicts = chance.percent(20);
  const regular = Array.from(
    { length: chance.below(4) + (evicts ? 6 : 0) },
    (_, index) =>
      podOf(`r${index}`, {
        namespace,
        spec: { ...(evicts && { priorityClassName: "low" }), ...requests(chance) },
      }),
  );
  const gangs = Array.from(
    { length: 2 + chance.below(3) },
    (_, index) => gangOf(`g${index}`, { chance, namespace, evicts }),
  );
  const first = { priorityClassName: "first", preemptionPolicy: "Never" };
  const ahead = Array.from(
    { length: evicts ? 0 : chance.below(4) },
    (_, index) => podOf(`a${index}`, { namespace, spec: { ...first, ...requests(chance) } }),
  );
  return { nodes, regular, ahead, gangs };
}

function gangOf(
  name: string,
  { chance, namespace, evicts }: { chance: Chance; namespace: string; evicts: boolean },
): WorkloadGang {
  const size = 1 + chance.below(evicts ? 2 : 5);
  const minMember = chance.percent(70) ? size : 1 + chance.below(size);
  const constraints = evicts ? {} : constraintsOf(chance);
  const priority = evicts ? { priorityClassName: "high" } : {};
  const kinds = [requests(chance), chance.percent(35) ? requests(chance) : undefined];
  const pods = Array.from({ length: size }, (_, index) =>
    podOf(`${name}-${index}`, {
      namespace,
      labels: gangLabels({ name, minAvailable: minMember }),
      spec: { ...priority, ...constraints, ...(index === 0 && kinds[1] || kinds[0]) },
    }));
  return { name, minMember, pods };
}

/** Where its pods may run beyond the workload's own nodes. */
function constraintsOf(chance: Chance): object {
  const tolerations = chance.percent(30)
    ? { tolerations: [{ key: "dedicated", operator: "Exists" }] }
    : {};
  switch (chance.below(4)) {
    case 0:
      return { ...tolerations, zone: "a" };
    case 1: {
      const matchExpressions = [{ key: "zone", operator: "NotIn", values: ["a"] }];
      const required = { nodeSelectorTerms: [{ matchExpressions }] };
      return {
        ...tolerations,
        affinity: { nodeAffinity: { requiredDuringSchedulingIgnoredDuringExecution: required } },
      };
    }
    default:
      return tolerations;
  }
}

function requests(chance: Chance): object {
  const gpus = chance.percent(50) ? 1 + chance.below(2) : 0;
  const amounts = {
    cpu: `${500 * (1 + chance.below(8))}m`,
    memory: `${1 + chance.below(6)}Gi`,
    ...(gpus > 0 && { "nvidia.com/gpu": String(gpus) }),
  };
  const init = { name: "init", image: "none", resources: { requests: { cpu: "3" } } };
  return {
    containers: [{
      name: "main",
      image: "none",
      resources: { requests: amounts, limits: gpuLimits(gpus) },
    }],
    ...(chance.percent(15) && { initContainers: [init] }),
  };
}

/** An extended resource is requested as much as it is limited. */
function gpuLimits(gpus: number): Record<string, string> {
  return gpus > 0 ? { "nvidia.com/gpu": String(gpus) } : {};
}

function podOf(
  name: string,
  { namespace, labels = {}, spec }: {
    namespace: string;
    labels?: Record<string, string>;
    spec: Readonly<Record<string, unknown>>;
  },
): KubernetesObject {
  const { zone, ...rest } = spec;
  return {
    apiVersion: "v1",
    kind: "Pod",
    metadata: { name, namespace, labels },
    spec: {
      schedulerName: "muster",
      nodeSelector: { workload: namespace, ...(zone !== undefined ? { zone } : {}) },
      ...rest,
    },
  };
}
