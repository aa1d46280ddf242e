import { assertEquals } from "@std/assert";
import { Cluster } from "../../shared/cluster/cluster.ts";
import {
  candidateOf,
  nodesLeftFor,
  showsWithin,
} from "../../shared/cluster/preemption_candidate.ts";
import { times } from "../../shared/core/attend/times.ts";
import { askingOf } from "../support/asking.ts";
import { at } from "../support/facts.ts";
import { podOf } from "../support/objects.ts";

function newCluster(): Cluster {
  return new Cluster({
    podChanged: () => {},
    podGroupChanged: () => {},
    roomChanged: () => {},
  }, { schedulerNames: ["muster"] });
}

Deno.test("nodesLeftFor() has the nodes of those that begin to leave for the preemptor, and of nobody else", () => {
  const cluster = newCluster();
  for (const [name, preemptor] of [["a", "high"], ["b", "other"], ["c", "high"]] as const) {
    cluster.podChanged(podOf({ name, nodeName: `node-${name}` }));
    cluster.pods.get(`uid-${name}`)!.leaves = { preemptor, until: Infinity };
    if (name === "c") continue;
    cluster.podChanged(podOf({ name, nodeName: `node-${name}`, isTerminating: true }));
  }
  const { pods } = cluster;
  const nodesAt = (now: number) => [...nodesLeftFor("high", { pods, now })];
  assertEquals(nodesAt(Date.now()), ["node-a"]);
  assertEquals(nodesAt(Date.now() + 60_000), []);
});

for (const isGranted of [false, true]) {
  Deno.test(`candidateOf(): a member whose call is ${isGranted ? "" : "not "}granted is no pod to evict`, () => {
    const cluster = newCluster();
    const labels = { "pod-group/name": "a", "pod-group/min-available": "1" };
    cluster.podChanged(podOf({ name: "a", schedulerName: "muster", labels }));
    const call = { id: 1, isGranted, pod: { node: "node-1" } };
    cluster.pods.get("uid-a")!.call = call as never;
    const asking = askingOf(cluster, 0);
    const { victims } = candidateOf("node-1", { Pods: [{ UID: "uid-a" }] }, asking);
    assertEquals(victims.map((victim) => victim.state), ["waits"]);
  });
}

Deno.test("candidateOf(): who was asked to end while it was known leaves, and not who changes otherwise", () => {
  const cluster = newCluster();
  const pod = { name: "a", nodeName: "node-1" };
  const stateAfter = (more: Partial<Parameters<typeof podOf>[0]>) => {
    cluster.podChanged(podOf({ ...pod, ...more }));
    const now = Date.now();
    const asking = askingOf(cluster, now);
    return candidateOf("node-1", { Pods: [{ UID: "uid-a" }] }, asking).victims[0]!.state;
  };
  assertEquals(stateAfter({}), "runs");
  assertEquals(stateAfter({ labels: { app: "b" } }), "runs");
  assertEquals(stateAfter({ isTerminating: true }), "leaves");
});

Deno.test("showsWithin() is the rest of a second for who was left to the preemptor once and does not leave yet, and else nothing", () => {
  const cluster = newCluster();
  const pod = { name: "a", nodeName: "node-1" };
  cluster.podChanged(podOf(pod));
  const record = cluster.pods.get("uid-a")!;
  const leftAt = 1_000_000;
  const within = (preemptor: string, now: number) => showsWithin(record, { preemptor, now });
  assertEquals(within("high", leftAt), 0);
  record.leaves = { preemptor: "high", until: leftAt + times.leaves };
  assertEquals(within("high", leftAt), 1000);
  assertEquals(within("high", leftAt + 400), 600);
  assertEquals(within("high", leftAt + 1001), 0);
  assertEquals(within("other", leftAt), 0);
  // A clock that was set back.
  assertEquals(within("high", leftAt - 60_000), 1000);
  record.leaves = { ...record.leaves, isAgain: true };
  assertEquals(within("high", leftAt), 0, "it could not be evicted");
  record.leaves = { ...record.leaves, isAgain: false };
  record.pod = podOf({ ...pod, isTerminating: true });
  assertEquals(within("high", leftAt), 0);
  assertEquals(showsWithin(undefined, { preemptor: "high", now: leftAt }), 0);
});

Deno.test("candidateOf(): what a gang has is who is on a node and stays, and who succeeded", () => {
  const cluster = newCluster();
  const labels = { "pod-group/name": "a", "pod-group/min-available": "4" };
  const member = { schedulerName: "muster", labels };
  const nodeName = "node-1";
  cluster.podChanged(podOf({ ...member, name: "a-0", nodeName, priority: 7, age: 60 }));
  cluster.podChanged(podOf({ ...member, name: "a-1", nodeName: "node-2" }));
  cluster.podChanged(podOf({ ...member, name: "a-2", nodeName: "node-2", phase: "Succeeded" }));
  cluster.podChanged(podOf({ ...member, name: "a-3", nodeName }));
  cluster.podChanged(podOf({ ...member, name: "a-3", nodeName, isTerminating: true }));
  cluster.podChanged(podOf({ ...member, name: "a-4" }));
  cluster.podChanged(podOf({ name: "regular", nodeName, age: 0 }));
  const uids = ["uid-a-0", "uid-a-3", "uid-regular", "uid-unknown"];
  const candidate = candidateOf(
    "node-1",
    { Pods: uids.map((UID) => ({ UID })) },
    askingOf(cluster, Date.now()),
  );
  assertEquals(candidate.gangs, [
    { minMember: 4, isRoleBroken: false, bound: 2, succeeded: 1, victims: 1 },
  ]);
  const startedAt = (age: number) => Date.parse(at(-age));
  const victims = candidate.victims.toSorted((a, b) => a.uid < b.uid ? -1 : 1);
  assertEquals(victims, [
    { uid: "uid-a-0", priority: 7, startedAt: startedAt(60), state: "runs" },
    { uid: "uid-a-3", priority: 0, startedAt: startedAt(0), state: "leaves" },
    { uid: "uid-regular", priority: 0, startedAt: startedAt(0), state: "runs" },
    { uid: "uid-unknown", priority: 0, startedAt: 0, state: "waits" },
  ]);
  assertEquals([candidate.pdbViolations, candidate.isComing], [0, false]);
});

Deno.test("candidateOf(): what a gang has is taken once for all nodes", () => {
  const cluster = newCluster();
  const labels = { "pod-group/name": "a", "pod-group/min-available": "1" };
  const nodes = Array.from({ length: 20 }, (_, at) => `node-${at}`);
  for (const nodeName of nodes) {
    cluster.podChanged(podOf({ name: nodeName, nodeName, schedulerName: "muster", labels }));
  }
  const gang = cluster.gangs.get("default/a")!;
  let counted = 0;
  const { counted: count } = gang;
  gang.counted = () => {
    counted++;
    return count.call(gang);
  };
  const asking = askingOf(cluster, 0);
  for (const node of nodes) {
    const { gangs } = candidateOf(node, { Pods: [{ UID: `uid-${node}` }] }, asking);
    assertEquals(gangs.map(({ bound, victims }) => [bound, victims]), [[20, 1]]);
  }
  assertEquals(counted < 5, true, `${counted} times`);
});
