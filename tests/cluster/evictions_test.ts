import { assertEquals } from "@std/assert";
import { Cluster } from "../../shared/cluster/cluster.ts";
import { callOff, evictionFailed, evictionsOf } from "../../shared/cluster/evictions.ts";
import type { PodRecord } from "../../shared/cluster/pod_record.ts";
import { times } from "../../shared/core/attend/times.ts";
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

const whom = { group: "default/b", by: "gang default/b" };
const names = (records: readonly PodRecord[]) => records.map(({ pod }) => pod.metadata.name);

function chosen(uids: readonly string[], at = now) {
  const { kept, free } = evictionsOf(uids, { cluster: cluster(), whom, now: at });
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

Deno.test("whoever is asked to leave is known to be, until it is spared", () => {
  const known = cluster();
  const { free: [record] } = evictionsOf(["uid-free"], { cluster: known, whom, now });
  assertEquals(record!.evictedFor, whom);
  assertEquals(evictionFailed(record!, now), times.spared);
  assertEquals([record!.evictedFor, record!.sparedUntil], [undefined, now + times.spared]);
});

Deno.test("where a pod is kept, those that have not been asked to leave before it are spared", () => {
  const known = cluster();
  for (const name of ["kept-2", "kept-3"]) {
    known.podChanged(podOf({ name, nodeName, labels: kept }));
  }
  const uids = ["uid-kept", "uid-kept-2", "uid-free", "uid-kept-3"];
  const evictions = evictionsOf(uids, { cluster: known, whom, now });
  const [first, second] = evictions.kept;
  assertEquals(names(callOff(second!, evictions)), ["kept-3", "free"]);
  assertEquals([first, second].map((record) => record?.evictedFor), [whom, whom]);
  assertEquals(known.pods.get("uid-free")!.evictedFor, undefined);
});
