import { assertEquals } from "@std/assert";
import { Cluster } from "../../shared/cluster/cluster.ts";
import { callOff, evictionsOf, spare } from "../../shared/cluster/evictions.ts";
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
  cluster.podChanged(podOf({ name: "left", nodeName }));
  cluster.pods.get("uid-left")!.leaves = { preemptor: "uid-high", until: now + 1 };
  return cluster;
}

type Whom = NonNullable<PodRecord["evictedFor"]>;
const whom: Whom = { group: "default/b", by: "gang default/b" };
const names = (records: readonly PodRecord[]) => records.map(({ pod }) => pod.metadata.name);

function chosen(uids: readonly string[], { at = now, by = whom } = {}) {
  const of = { cluster: cluster(), whom: by, now: at };
  const { kept, free, left } = evictionsOf(uids, of);
  return { kept: names(kept), free: names(free), left: names(left) };
}

Deno.test("evictionsOf() tells pods under a budget from the others", () => {
  assertEquals(chosen(["uid-free", "uid-kept"]), { kept: ["kept"], free: ["free"], left: [] });
});

Deno.test("evictionsOf() leaves out who is gone, has no node, leaves already, or has been asked", () => {
  const uids = ["uid-gone", "uid-waits", "uid-leaves", "uid-asked"];
  assertEquals(chosen([...uids, "uid-free"]), { kept: [], free: ["free"], left: [] });
});

Deno.test("evictionsOf() asks a pod whose budget kept it again when its time has come", () => {
  assertEquals(chosen(["uid-spared"]), { kept: [], free: [], left: [] });
  assertEquals(chosen(["uid-spared"], { at: now + 1 }), { kept: [], free: ["spared"], left: [] });
});

Deno.test("evictionsOf() leaves who is about to leave for a preemptor to the scheduler, as long as that takes", () => {
  assertEquals(chosen(["uid-left"]), { kept: [], free: [], left: ["left"] });
  assertEquals(chosen(["uid-left"], { at: now + 1 }), { kept: [], free: ["left"], left: [] });
});

Deno.test("evictionsOf(): for a group nobody leaves unless all do, and of a broken gang whoever may", () => {
  for (const stays of ["uid-left", "uid-spared"]) {
    assertEquals(chosen([stays, "uid-free"]).free, []);
    assertEquals(chosen([stays, "uid-free"], { by: { ...whom, group: undefined } }).free, ["free"]);
  }
});

Deno.test("evictionsOf(): who is asked to leave does so from then on, unless a budget may keep one of them", () => {
  const leaves = (uids: readonly string[]) => {
    const known = cluster();
    evictionsOf(uids, { cluster: known, whom, now });
    return known.pods.get("uid-free")!.leaves !== undefined;
  };
  assertEquals(leaves(["uid-free"]), true);
  assertEquals(leaves(["uid-free", "uid-kept"]), false);
});

Deno.test("whoever is asked to leave is known to be, until it is spared", () => {
  const known = cluster();
  const { free: [record] } = evictionsOf(["uid-free"], { cluster: known, whom, now });
  assertEquals(record!.evictedFor, whom);
  assertEquals(spare(record!, now), times.spared);
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
