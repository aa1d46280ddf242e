import { assertEquals } from "@std/assert";
import { Cluster } from "../../shared/cluster/cluster.ts";
import { GroupTable } from "../../shared/cluster/group_table.ts";
import type { Node, Pod } from "../../shared/kubernetes/types.ts";
import { callOf } from "../support/attending.ts";
import { container, podOf, type PodParts } from "../support/objects.ts";

const gpu = "nvidia.com/gpu";

function node(gpus: string, spec: Node["spec"] = {}): Node {
  return {
    metadata: { name: "n", uid: "uid-n" },
    spec,
    status: { allocatable: { [gpu]: gpus, pods: "10" } },
  };
}

/** A pod on node n that asks for two GPUs, but for `parts`. */
function taking(parts: PodParts = {}): Pod {
  return podOf({ nodeName: "n", containers: [container({ [gpu]: "2" })], ...parts });
}

/** A cluster of node n with 8 GPUs. `changes`: how often it was said that room changed. */
function clusterOf(
  ...pods: Pod[]
): { cluster: Cluster; free: () => number; changes: () => number } {
  let changes = 0;
  const cluster = new Cluster({
    podChanged: () => {},
    podGroupChanged: () => {},
    roomChanged: () => changes++,
  });
  cluster.room.nodeChanged(node("8"));
  for (const pod of pods) cluster.podChanged(pod);
  return {
    cluster,
    free: () => cluster.room.free.get("n")?.get(gpu) ?? NaN,
    changes: () => changes,
  };
}

const cases: [id: string, pods: Pod[], free: number][] = [
  ["nobody", [], 8],
  ["a pod of any scheduler that has a node", [taking({ schedulerName: "elsewhere" })], 6],
  ["a mirror pod", [taking({ annotations: { "kubernetes.io/config.mirror": "x" } })], 6],
  ["a pod that is leaving, until it has left", [taking({ isTerminating: true })], 6],
  ["a pod that succeeded", [taking({ phase: "Succeeded" })], 8],
  ["a pod that failed", [taking({ phase: "Failed" })], 8],
  ["a pod without a node", [podOf({ containers: [container({ [gpu]: "2" })] })], 8],
  ["a pod on a node that is not known", [taking({ nodeName: "other" })], 8],
  ["several pods", [taking({ name: "a" }), taking({ name: "b" })], 4],
];

for (const [id, pods, free] of cases) {
  Deno.test(`room: ${id}: ${free} of 8 are free`, () =>
    assertEquals(clusterOf(...pods).free(), free));
}

Deno.test("room: a finished pod gives it back, and so does a deleted one, once", () => {
  const { cluster, free } = clusterOf(taking({ name: "a" }), taking({ name: "b" }));
  cluster.podChanged(taking({ name: "a", phase: "Succeeded" }));
  assertEquals(free(), 6);
  cluster.podDeleted(taking({ name: "a", phase: "Succeeded" }));
  assertEquals(free(), 6);
  cluster.podDeleted(taking({ name: "b" }));
  assertEquals(free(), 8);
});

Deno.test("room: a pod that is on no node any more, as an earlier state of the API server has it, takes none and waits", () => {
  const labels = {
    "pod-group.scheduling.sigs.k8s.io/name": "train",
    "pod-group.scheduling.sigs.k8s.io/min-available": "1",
  };
  const { cluster, free } = clusterOf(taking({ labels }));
  assertEquals(free(), 6);
  cluster.podChanged(podOf({ labels, containers: [container({ [gpu]: "2" })] }));
  assertEquals(free(), 8);
  assertEquals(cluster.gangs.get("default/train")?.lacksMembers, true);
});

Deno.test("room: a pod that is resized in place takes what it asks for now", () => {
  const pod = taking();
  const { cluster, free } = clusterOf({ ...pod, metadata: { ...pod.metadata, generation: 1 } });
  const resized = taking({ containers: [container({ [gpu]: "5" })] });
  cluster.podChanged({ ...resized, metadata: { ...resized.metadata, generation: 2 } });
  assertEquals(free(), 3);
});

Deno.test("room: a pod that is resized in place takes more until its node has taken it away", () => {
  const before = taking({ containers: [container({ [gpu]: "5" }, { name: "main" })] });
  const { cluster, free } = clusterOf({
    ...before,
    metadata: { ...before.metadata, generation: 1 },
  });
  const resized = taking({ containers: [container({ [gpu]: "1" }, { name: "main" })] });
  const says = (amount: string): Pod => ({
    ...resized,
    metadata: { ...resized.metadata, generation: 2 },
    status: {
      phase: "Running",
      containerStatuses: [{ name: "main", allocatedResources: { [gpu]: amount } }],
    },
  });
  cluster.podChanged(says("5"));
  assertEquals(free(), 3);
  cluster.podChanged(says("1"));
  assertEquals(free(), 7);
});

Deno.test("room: a node that grows offers more, with its pods still on it; one that is gone offers none", () => {
  const { cluster, free } = clusterOf(taking());
  cluster.room.nodeChanged(node("16"));
  assertEquals(free(), 14);
  cluster.room.nodeDeleted(node("16"));
  assertEquals(cluster.room.free.size, 0);
  cluster.room.nodeChanged(node("8"));
  assertEquals(free(), 6);
});

Deno.test("room: it is said to have changed when a node is cordoned or grows, not at a heartbeat", () => {
  const { cluster, changes } = clusterOf();
  const before = changes();
  cluster.room.nodeChanged({
    ...node("8"),
    metadata: { name: "n", uid: "uid-n", resourceVersion: "2" },
  });
  assertEquals(changes(), before);
  cluster.room.nodeChanged(node("8", { unschedulable: true }));
  assertEquals(changes(), before + 1);
  cluster.room.nodeChanged(node("8", { unschedulable: false }));
  cluster.room.nodeChanged(node("9"));
  assertEquals(changes(), before + 3);
});

Deno.test("room: a member whose selector is tightened behind its gate is not of its siblings' kind any more", () => {
  const member = (generation: number, parts: PodParts): Pod => {
    const pod = podOf(parts);
    return { ...pod, metadata: { ...pod.metadata, generation } };
  };
  const { cluster } = clusterOf(member(1, { name: "a" }), member(1, { name: "b" }));
  const kinds = () => [...cluster.pods.values()].map(({ kind }) => kind);
  assertEquals(new Set(kinds()).size, 1);
  cluster.podChanged(member(2, { name: "a", nodeSelector: { zone: "a" } }));
  assertEquals(new Set(kinds()).size, 2);
});

Deno.test("room: a member that is given a role is not of its siblings' kind any more", () => {
  const labels = { "pod-group.scheduling.sigs.k8s.io/name": "train" };
  const { cluster } = clusterOf(podOf({ name: "a", labels }), podOf({ name: "b", labels }));
  const kinds = () => [...cluster.pods.values()].map(({ kind }) => kind);
  assertEquals(new Set(kinds()).size, 1);
  const annotations = { "muster.scheduling/role": "decode" };
  cluster.podChanged(podOf({ name: "a", labels, annotations }));
  assertEquals(new Set(kinds()).size, 2);
});

const daemon = { apiVersion: "apps/v1", kind: "DaemonSet", name: "o", controller: true };
const stayings: [stays: boolean, id: string, more: Partial<Pod["metadata"]>][] = [
  [true, "a DaemonSet's", { ownerReferences: [daemon] }],
  [true, "a static one", { annotations: { "kubernetes.io/config.mirror": "x" } }],
  [false, "a Job's", { ownerReferences: [{ ...daemon, apiVersion: "batch/v1", kind: "Job" }] }],
  [false, "one of another kind of the same name", {
    ownerReferences: [{ ...daemon, apiVersion: "evil.io/v1" }],
  }],
  [false, "one that a DaemonSet does not control", {
    ownerReferences: [{ ...daemon, controller: false }],
  }],
  [false, "one that says it is a node's", {
    ownerReferences: [{ ...daemon, apiVersion: "v1", kind: "Node" }],
  }],
];
for (const [stays, id, more] of stayings) {
  Deno.test(`room: a pod ${stays ? "stays for good and is no" : "is"} capacity: ${id}`, () => {
    const pod = taking({ name: "a" });
    const { cluster } = clusterOf({ ...pod, metadata: { ...pod.metadata, ...more } });
    const room = cluster.room.capacity().get("n")?.get(gpu);
    assertEquals(room === 8, !stays);
  });
}

Deno.test("room: a regular pod for which victims leave is nominated until it has a node or is gone", () => {
  const nominated = (name: string, priority: number, nodeName?: string): Pod => {
    const pod = taking({ name, priority });
    const { nodeName: _, ...spec } = pod.spec;
    return {
      ...pod,
      spec: nodeName ? { ...spec, nodeName } : spec,
      status: { nominatedNodeName: "n" },
    };
  };
  const { cluster, changes } = clusterOf();
  const names = () => cluster.regularPods.claims().map(({ priority }) => priority);
  const before = changes();
  cluster.podChanged(nominated("low", 1));
  cluster.podChanged(nominated("high", 9));
  assertEquals(names(), [9, 1]);
  assertEquals(changes(), before + 2);
  cluster.podChanged(nominated("high", 9, "n"));
  assertEquals(names(), [1]);
  const bound = changes();
  cluster.podDeleted(nominated("low", 1));
  assertEquals(names(), []);
  assertEquals(changes(), bound + 1);
});

Deno.test("room: a pod that has ended is nominated no more", () => {
  const { cluster, changes } = clusterOf();
  const nominated = (phase: string): Pod => ({
    ...podOf({ priority: 1 }),
    status: { phase, nominatedNodeName: "n" },
  });
  cluster.podChanged(nominated("Pending"));
  const before = changes();
  cluster.podChanged(nominated("Failed"));
  assertEquals(cluster.regularPods.claims(), []);
  assertEquals(changes(), before + 1);
});

Deno.test("a member is told of whose node would evict it, or is gone, while it is held there", () => {
  const told: string[] = [];
  const cluster = new Cluster({
    podChanged: ({ record }) => told.push(record.pod.metadata.uid),
    podGroupChanged: () => {},
    roomChanged: () => {},
  });
  const labels = { "pod-group/name": "gang", "pod-group/min-available": "2" };
  cluster.room.nodeChanged(node("8"));
  for (const name of ["held", "other"]) cluster.podChanged(podOf({ name, labels }));
  const record = cluster.pods.get("uid-held")!;
  const holdOn = (node: string) =>
    cluster.podHeld(record, callOf("uid-held", { pod: { ...callOf("held").pod, node } }));
  holdOn("n");
  const toldOf = (happens: () => void) => {
    told.length = 0;
    happens();
    return [told.join(), cluster.room.mayStayOn(record, "n")];
  };
  const change = (spec: Node["spec"]) => toldOf(() => cluster.room.nodeChanged(node("8", spec)));
  assertEquals(change({ unschedulable: true }), ["", true]);
  assertEquals(change({ taints: [{ key: "a", effect: "NoExecute" }] }), ["uid-held", false]);
  assertEquals(change({}), ["", true]);
  assertEquals(toldOf(() => cluster.room.nodeDeleted(node("8"))), ["uid-held", false]);
  const comeAndGo = () => {
    cluster.room.nodeChanged(node("8"));
    cluster.room.nodeDeleted(node("8"));
  };
  holdOn("m");
  assertEquals(toldOf(comeAndGo), ["", false], "it is held elsewhere");
  holdOn("n");
  assertEquals(toldOf(comeAndGo), ["uid-held", false]);
  cluster.podLetGo(record);
  assertEquals(toldOf(comeAndGo), ["", false], "it is held no more");
});

Deno.test("what happens to nodes, pods and gangs happens at the time that the cluster's clock tells", () => {
  const silent = { podChanged: () => {}, podGroupChanged: () => {}, roomChanged: () => {} };
  const cluster = new Cluster(silent, { clock: () => 5000 });
  const label = "pod-group.scheduling.sigs.k8s.io/name";
  cluster.room.nodeChanged(node("8"));
  cluster.podChanged(podOf({ name: "member", labels: { [label]: "train" } }));
  const [record] = [...cluster.pods.values()];
  cluster.podBound(record!, "n");
  const group = new GroupTable(cluster, () => {}).find("default/train")!;
  const times = [cluster.room.changedAt("n"), record!.boundAt, group.attended.arrivals.first];
  assertEquals(times, [5000, 5000, 5000]);
});
