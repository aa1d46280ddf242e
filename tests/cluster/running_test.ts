import { assertEquals, assertStrictEquals } from "@std/assert";
import { Cluster } from "../../shared/cluster/cluster.ts";
import { candidateOf } from "../../shared/cluster/preemption_candidate.ts";
import { restOf } from "../../shared/cluster/losses.ts";
import { evictionsIn } from "../../shared/cluster/running.ts";
import { nativePodGroup } from "../../shared/kubernetes/declaring/pod_group.ts";
import { groupOf, type Node } from "../support/composites.ts";
import { askingOf } from "../support/asking.ts";
import { podOf } from "../support/objects.ts";

const now = 1_000_000;

/** PodGroups a and b of one CompositePodGroup that needs both, with a bound member each, and others; `gone` have left. */
function clusterOf(disruption: Node["disruption"], gone: readonly string[] = []): Cluster {
  const listener = { podChanged() {}, podGroupChanged() {}, roomChanged() {} };
  const cluster = new Cluster(listener);
  cluster.compositeChanged(groupOf("root", { needs: 2, ...(disruption && { disruption }) }));
  for (const name of ["a", "b"]) {
    cluster.podGroupChanged(nativePodGroup, groupOf(name, { parent: "root" }));
  }
  for (const [name, podGroupName] of [["a-0", "a"], ["a-1", "a"], ["b-0", "b"]] as const) {
    const isTerminating = gone.includes(name);
    const bound = { nodeName: `node-${name}`, phase: "Running" };
    cluster.podChanged(podOf({ name, schedulingGroup: { podGroupName }, ...bound }));
    if (isTerminating) {
      const leaving = podOf({ name, schedulingGroup: { podGroupName }, ...bound, isTerminating });
      cluster.podChanged(leaving);
    }
  }
  return cluster;
}

const rests: [
  id: string,
  disruption: Node["disruption"],
  gone: string[],
  rest: string[] | undefined,
][] = [
  ["nobody as long as the gang is whole", "all", ["a-0"], undefined],
  ["all of a composite that leaves together", "all", ["a-0", "a-1"], ["uid-b-0"]],
  ["nobody of one whose groups run on", "single", ["a-0", "a-1"], undefined],
];

for (const [id, disruption, gone, rest] of rests) {
  Deno.test(`restOf(): with members that have left ${id} leaves too`, () => {
    const { gangs } = clusterOf(disruption, gone);
    assertEquals(restOf(gangs.get("default/a"), gangs), rest);
  });
}

Deno.test("evictionsIn(): what runs is known with the composites that it is in, each once", () => {
  const { trees, gangs } = evictionsIn(clusterOf("all"), now).running(1);
  assertEquals(trees, [{ min: 2, leavesWhole: true, parts: ["default/a", "default/b"] }]);
  assertEquals([...gangs.keys()], ["default/a", "default/b"]);
});

Deno.test("evictionsIn(): what runs is taken once for all groups of a priority", () => {
  const { running } = evictionsIn(clusterOf("all"), now);
  assertStrictEquals(running(1), running(1));
  assertEquals(running(0).pods, []);
});

Deno.test("candidateOf(): no gang leaves beside a member that has nothing to lose", () => {
  const cluster = clusterOf("all");
  cluster.compositeChanged(groupOf("root", { needs: 1, disruption: "all" }));
  for (const name of ["a-0", "a-1"]) cluster.podDeleted(cluster.pods.get(`uid-${name}`)!.pod);
  const asking = askingOf(cluster, now);
  const { fallingBeside } = candidateOf("node-b-0", { Pods: [{ UID: "uid-b-0" }] }, asking);
  assertEquals(fallingBeside, 0);
});

for (const [disruption, beside] of [["all", 1], ["single", 0]] as const) {
  Deno.test(`candidateOf(): with a member ${beside} other gang leaves of a composite of mode ${disruption}`, () => {
    const cluster = clusterOf(disruption);
    const asking = askingOf(cluster, now);
    const { fallingBeside } = candidateOf("node-b-0", { Pods: [{ UID: "uid-b-0" }] }, asking);
    assertEquals(fallingBeside, beside);
    const spared = candidateOf("node-a-0", { Pods: [{ UID: "uid-a-0" }] }, asking);
    assertEquals(spared.fallingBeside, 0, "its gang has one more than it needs");
  });
}

Deno.test("evictionsIn(): a DaemonSet's pods leave by their priority as others do, and static ones never", () => {
  const cluster = clusterOf("all");
  const owner = { apiVersion: "apps/v1", kind: "DaemonSet", name: "o", controller: true };
  const own = { "kubernetes.io/config.mirror": "x" };
  for (
    const [name, more] of [["daemon", { ownerReferences: [owner] }], ["static", {
      annotations: own,
    }]] as const
  ) {
    const pod = podOf({ name, nodeName: "n", phase: "Running", priority: -1 });
    cluster.podChanged({ ...pod, metadata: { ...pod.metadata, ...more } });
  }
  const { pods } = evictionsIn(cluster, now).running(0);
  assertEquals(pods.map(({ name }) => name), ["default/daemon"]);
});
