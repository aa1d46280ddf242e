import { assertEquals } from "@std/assert";
import { Cluster } from "../../shared/cluster/cluster.ts";
import { evictionsOf } from "../../shared/cluster/evictions.ts";
import { podOf } from "../support/objects.ts";

const now = 1000;
const nodeName = "node-1";
const kept = { app: "kept" };

function cluster(): Cluster {
  const cluster = new Cluster({
    podChanged: () => {},
    podGroupChanged: () => {},
    roomChanged: () => {},
  }, { schedulerNames: ["muster"] });
  cluster.budgetChanged({
    metadata: { name: "kept", namespace: "default", uid: "uid-budget" },
    spec: { selector: { matchLabels: kept } },
  });
  cluster.podChanged(podOf({ name: "free", nodeName }));
  cluster.podChanged(podOf({ name: "kept", nodeName, labels: kept }));
  cluster.podChanged(podOf({ name: "waits" }));
  cluster.podChanged(podOf({ name: "leaves", nodeName, isTerminating: true }));
  cluster.podChanged(podOf({ name: "asked", nodeName }));
  cluster.pods.get("uid-asked")!.evictedFor = { group: "default/a", by: "gang default/a" };
  cluster.podChanged(podOf({ name: "spared", nodeName }));
  cluster.pods.get("uid-spared")!.sparedUntil = now + 1;
  return cluster;
}

function chosen(uids: readonly string[], at = now) {
  const { kept, free } = evictionsOf(uids, { cluster: cluster(), now: at });
  const names = (records: typeof kept) => records.map(({ pod }) => pod.metadata.name);
  return { kept: names(kept), free: names(free) };
}

Deno.test("evictionsOf() tells pods under a budget from the others", () => {
  assertEquals(chosen(["uid-free", "uid-kept"]), { kept: ["kept"], free: ["free"] });
});

Deno.test("evictionsOf() leaves out who is gone, has no node, leaves already, or has been asked", () => {
  const uids = ["uid-gone", "uid-waits", "uid-leaves", "uid-asked"];
  assertEquals(chosen([...uids, "uid-free"]), { kept: [], free: ["free"] });
});

Deno.test("evictionsOf() asks a pod whose budget kept it again when its time has come", () => {
  assertEquals(chosen(["uid-spared"]), { kept: [], free: [] });
  assertEquals(chosen(["uid-spared"], now + 1), { kept: [], free: ["spared"] });
});
