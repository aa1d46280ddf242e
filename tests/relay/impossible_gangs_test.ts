import { assertEquals } from "@std/assert";
import type { Impossible } from "../../shared/core/gang/facts.ts";
import { sigsPodGroup } from "../../shared/kubernetes/declaring/pod_group.ts";
import { container, podOf } from "../support/objects.ts";
import {
  clusterOf,
  createGang,
  gpu,
  groupOf,
  on,
  planIn,
  plansOf,
} from "../support/planned_gangs.ts";

const full = { nodes: { a: 4, b: 4, c: 4 }, pods: ["a", "b", "c"].map((node) => on(node, 4)) };

for (
  const [what, gang, expect] of [
    ["a member larger than each node", { size: 2, gpus: 8 }, {
      scope: "member",
      resource: gpu,
      asks: 8,
      largest: 4,
    }],
    ["more members than all nodes take", { size: 14, gpus: 1 }, {
      scope: "gang",
      resource: gpu,
      asks: 14,
      largest: 12,
    }],
    ["as many as nodes without other pods take", { size: 12, gpus: 1 }, undefined],
    ["what pods of the nodes' own leave", { size: 3, gpus: 4, daemon: true }, {
      scope: "gang",
      resource: gpu,
      asks: 12,
      largest: 11,
    }],
  ] as [string, { size: number; gpus: number; daemon?: boolean }, Impossible | undefined][]
) {
  Deno.test(`plan(): what could never fit is called so: ${what}`, () => {
    const ownerReferences = [
      { apiVersion: "apps/v1", kind: "DaemonSet", name: "d", uid: "d", controller: true },
    ];
    const daemon = podOf({ name: "d", nodeName: "a", containers: [container({ [gpu]: "1" })] });
    const pods = gang.daemon
      ? [{ ...daemon, metadata: { ...daemon.metadata, ownerReferences } }, ...full.pods]
      : full.pods;
    const { plans, groups } = plansOf({
      ...full,
      pods,
      queue: [{ name: "big", ...gang }],
      backfillMs: 0,
    });
    assertEquals(plans.byGroup.get(groups[0]!.id)!.fit.impossible, expect);
  });
}

Deno.test("plan(): a gang that could never fit with the members that run already reserves nothing", () => {
  const cluster = clusterOf({ nodes: { a: 4, b: 4 }, pods: [on("b", 1)] });
  const running = groupOf({ name: "running", size: 8, gpus: 1, shortForMs: 9e9 }, cluster);
  for (const record of [...running.gangs[0]!.members.values()].slice(0, 3)) {
    cluster.podBound(record, "a");
  }
  createGang({ name: "running", size: 10, gpus: 1 }, cluster);
  const next = groupOf({ name: "next", size: 1, gpus: 1 }, cluster);
  const matchPolicy = "waiting-and-running";
  const plans = planIn([running, next], { cluster, matchPolicy }).byGroup;
  const { fit } = plans.get(running.id)!;
  assertEquals([fit.impossible?.asks, fit.impossible?.largest], [7, 5]);
  assertEquals(plans.get(next.id)!.ahead, undefined);
});

Deno.test("plan(): a gang is called impossible no more once a node that takes it has come", () => {
  const cluster = clusterOf({ nodes: { a: 4 }, pods: [] });
  const group = groupOf({ name: "big", size: 1, gpus: 8 }, cluster);
  const fitNow = () => planIn([group], { cluster }).byGroup.get(group.id)!.fit;
  assertEquals(fitNow().impossible?.largest, 4);
  const node = (name: string, gpus: string) => ({
    metadata: { name, uid: name },
    status: { allocatable: { [gpu]: gpus, pods: "10" } },
  });
  cluster.room.nodeChanged(node("b", "6"));
  assertEquals(fitNow().impossible?.largest, 6);
  cluster.room.nodeChanged(node("b", "8"));
  cluster.podChanged(on("b", 1));
  assertEquals(fitNow(), { members: 0, of: 1, shortOf: gpu });
  cluster.room.nodeDeleted(node("b", "8"));
  assertEquals(fitNow().impossible?.largest, 4);
});

Deno.test("plan(): minResources that are not there do not hide how many members find room", () => {
  const cluster = clusterOf({ nodes: { a: 4, b: 4 }, pods: [on("a", 1)] });
  const minResources = { [gpu]: "8" };
  cluster.podGroupChanged(sigsPodGroup, {
    apiVersion: "scheduling.sigs.k8s.io/v1alpha1",
    metadata: { namespace: "default", name: "g", uid: "g" },
    spec: { minMember: 3, minResources },
  });
  const labels = { "pod-group.scheduling.sigs.k8s.io": "g" };
  const group = groupOf({ name: "g", size: 3, gpus: 1, spec: { labels } }, cluster);
  assertEquals(planIn([group], { cluster }).byGroup.get(group.id)!.fit, {
    members: 0,
    of: 3,
    shortOf: gpu,
    isForMinResources: true,
    minResources: { asks: 8, free: 7, members: 3 },
  });
  assertEquals(cluster.room.free.get("a")?.get(gpu), 3);
});
