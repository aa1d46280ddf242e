/**
 * A cluster, and manifests that are not in it yet, put together.
 *
 * @module
 */
import { gangOf } from "../../../shared/cluster/pod_record.ts";
import type { Node, Pod } from "../../../shared/kubernetes/types.ts";
import { Failure } from "../failure.ts";
import type { Objects } from "./manifests.ts";

/** Priorities that every cluster has. */
const builtIn: Record<string, number> = {
  "system-cluster-critical": 2_000_000_000,
  "system-node-critical": 2_000_001_000,
};

/**
 * The cluster with the manifests in it. What it has already of the same name is taken as it is there, and so are the pods of what
 * has made some.
 */
export function withManifests(cluster: Objects, added: Objects): Objects {
  const priorities = new Map([...cluster.priorities, ...added.priorities]);
  const isNew = <T extends { metadata: { namespace?: string; name: string } }>(
    known: readonly T[],
  ) => {
    const ids = new Set(known.map(idOf));
    return (object: T) => !ids.has(idOf(object));
  };
  const podGroups = cluster.podGroups.map(({ podGroup }) => podGroup);
  const isNewGroup = isNew(podGroups);
  return {
    nodes: [...cluster.nodes, ...added.nodes.filter(isNew(cluster.nodes))],
    deviceClasses: [
      ...cluster.deviceClasses,
      ...added.deviceClasses.filter(isNew(cluster.deviceClasses)),
    ],
    jobs: [...cluster.jobs, ...added.jobs],
    pods: [
      ...cluster.pods,
      ...added.pods.filter(isNew(cluster.pods)).filter(isToBeMade(cluster.pods))
        .map((pod) => withScheduler(withPriority(pod, priorities))),
    ],
    podGroups: [
      ...cluster.podGroups,
      ...added.podGroups.filter(({ podGroup }) => isNewGroup(podGroup)),
    ],
    composites: [
      ...cluster.composites,
      ...added.composites.filter(isNew(cluster.composites)),
    ],
    priorities,
    ignored: added.ignored,
  };
}

/** Whether what controls a pod has made none yet: of a pod that is yet to be made, its uid is not known. */
function isToBeMade(known: readonly Pod[]): (pod: Pod) => boolean {
  const idsOf = ({ metadata: { namespace, ownerReferences = [] } }: Pod) =>
    ownerReferences.filter(({ controller }) => controller)
      .map(({ kind, name }) => `${namespace} ${kind}/${name}`);
  const made = new Set(known.flatMap(idsOf));
  return (pod) =>
    pod.metadata.ownerReferences?.some(({ uid }) => uid !== undefined) ||
    !idsOf(pod).some((id) => made.has(id));
}

/** The cluster with so many more nodes like one of its own: empty but for what its DaemonSets put on each. */
export function withNodes(
  cluster: Objects,
  { count, like }: { count: number; like: string },
): Objects {
  const model = cluster.nodes.find(({ metadata }) => metadata.name === like);
  if (!model) {
    const names = cluster.nodes.map(({ metadata }) => metadata.name).slice(0, 10).join('", "');
    throw new Failure(`No node "${like}" to copy: --like takes one of "${names}"`);
  }
  const added = Array.from(
    { length: count },
    (_, index) => copyOf(model, `${like}-added-${index + 1}`),
  );
  const daemons = cluster.pods.filter(({ spec, metadata }) =>
    spec.nodeName === like && metadata.ownerReferences?.some(({ kind }) => kind === "DaemonSet")
  );
  const pods = added.flatMap(({ metadata: { name: nodeName } }) =>
    daemons.map((pod): Pod => ({
      ...pod,
      metadata: { ...pod.metadata, uid: `${pod.metadata.uid} ${nodeName}` },
      spec: { ...pod.spec, nodeName },
    }))
  );
  return { ...cluster, nodes: [...cluster.nodes, ...added], pods: [...cluster.pods, ...pods] };
}

/** As a new node of its kind comes up: without what happened to the old one. */
function copyOf(model: Node, name: string): Node {
  const { unschedulable: _, ...spec } = model.spec ?? {};
  const taints = spec.taints?.filter(({ key }) => !key.startsWith("node.kubernetes.io/"));
  const labels = { ...model.metadata.labels };
  if (labels["kubernetes.io/hostname"] !== undefined) labels["kubernetes.io/hostname"] = name;
  return {
    ...model,
    metadata: { ...model.metadata, name, uid: name, labels },
    spec: { ...spec, ...(taints && { taints }) },
  };
}

function withPriority(pod: Pod, priorities: ReadonlyMap<string, number>): Pod {
  const { priority, priorityClassName = "" } = pod.spec as Pod["spec"] & {
    priorityClassName?: string;
  };
  if (priority !== undefined) return pod;
  const value = priorities.get(priorityClassName) ?? builtIn[priorityClassName];
  if (value === undefined && priorityClassName !== "") {
    throw new Failure(
      `Pod "${
        idOf(pod)
      }" names PriorityClass "${priorityClassName}", which is neither in the cluster nor in the ` +
        "manifests: add it to them",
    );
  }
  return { ...pod, spec: { ...pod.spec, priority: value ?? 0 } };
}

/** Admission names Muster's for gang members alone. */
function withScheduler(pod: Pod): Pod {
  if (pod.spec.schedulerName !== undefined || gangOf(pod) !== undefined) return pod;
  return { ...pod, spec: { ...pod.spec, schedulerName: "default-scheduler" } };
}

function idOf({ metadata }: { metadata: { namespace?: string; name: string } }): string {
  return `${metadata.namespace ?? ""}/${metadata.name}`;
}
