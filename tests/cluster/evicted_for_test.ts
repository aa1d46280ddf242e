import { assertEquals } from "@std/assert";
import { Cluster } from "../../shared/cluster/cluster.ts";
import { evictedForIn } from "../../shared/cluster/evicted_for.ts";
import type { Pod } from "../../shared/kubernetes/types.ts";
import { podOf } from "../support/objects.ts";

const group = "pod-group.scheduling.sigs.k8s.io";

/** Pod low on node-1 that has a reason for leaving, or stays. */
function lowOf(reason: string | undefined, priority = 0): Pod {
  const pod = podOf({ name: "low", nodeName: "node-1", priority, isTerminating: true });
  const conditions = reason ? [{ type: "DisruptionTarget", status: "True", reason }] : [];
  return { ...pod, status: { phase: "Running", conditions } };
}

/** A member of a gang of high priority that waits for its node. */
function nominatedTo(node: string | undefined, gang = "high", priority = 10): Pod {
  const labels = { [`${group}/name`]: gang, [`${group}/min-available`]: "1" };
  const pod = podOf({ name: gang, labels, priority });
  return { ...pod, status: { phase: "Pending", ...(node && { nominatedNodeName: node }) } };
}

function staying({ metadata: { deletionTimestamp: _, ...metadata }, ...pod }: Pod): Pod {
  return { ...pod, metadata };
}

function withoutPriority({ spec: { priority: _, ...spec }, ...pod }: Pod): Pod {
  return { ...pod, spec };
}

const evicted = lowOf("EvictionByEvictionAPI");
const high = { group: "default/high", by: "gang default/high of higher priority" };
const rows: [id: string, pods: Pod[], expected: typeof high | undefined][] = [
  ["a member is nominated to its node", [evicted, nominatedTo("node-1")], high],
  ["a member is nominated elsewhere", [evicted, nominatedTo("node-2")], undefined],
  ["no member is nominated", [evicted, nominatedTo(undefined)], undefined],
  [
    "it is of no lower priority",
    [lowOf("EvictionByEvictionAPI", 10), nominatedTo("node-1")],
    undefined,
  ],
  ["the scheduler evicted it", [lowOf("PreemptionByScheduler"), nominatedTo("node-1")], undefined],
  ["it leaves by itself", [lowOf(undefined), nominatedTo("node-1")], undefined],
  ["it stays", [staying(evicted), nominatedTo("node-1")], undefined],
  ["it says no priority", [withoutPriority(evicted), nominatedTo("node-1", "high", 1)], high],
  ["a member says none", [evicted, withoutPriority(nominatedTo("node-1"))], undefined],
  ["members of two gangs are: for the higher one", [
    nominatedTo("node-1", "middle", 5),
    nominatedTo("node-1"),
    evicted,
  ], high],
];

for (const [id, pods, expected] of rows) {
  Deno.test(`evictedForIn(): a pod leaves that this relay did not evict; ${id}`, () => {
    const cluster = new Cluster({ podChanged() {}, podGroupChanged() {}, roomChanged() {} });
    for (const pod of pods) cluster.podChanged(pod);
    assertEquals(evictedForIn(cluster.gangs)(cluster.pods.get("uid-low")!), expected);
  });
}

Deno.test("evictedForIn(): for whom this relay evicted a pod it knows, whoever is nominated there", () => {
  const cluster = new Cluster({ podChanged() {}, podGroupChanged() {}, roomChanged() {} });
  for (const pod of [evicted, nominatedTo("node-1")]) cluster.podChanged(pod);
  const record = cluster.pods.get("uid-low")!;
  record.evictedFor = { group: "default/other", by: "gang default/other of higher priority" };
  assertEquals(evictedForIn(cluster.gangs)(record), record.evictedFor);
});
