import { assertEquals } from "@std/assert";
import type { GangSpec } from "../../shared/core/gang/facts.ts";
import { Cluster } from "../../shared/cluster/cluster.ts";
import type { GangGroup } from "../../shared/cluster/gang_group.ts";
import { GroupTable } from "../../shared/cluster/group_table.ts";
import type { Attended } from "../../shared/core/attend/attended.ts";
import type { Plan } from "../../shared/core/plan/plan.ts";
import { nodeText } from "../../shared/core/words/node_text.ts";
import { groupPods } from "../../shared/cluster/gang_pods.ts";
import { container, podOf, type PodParts } from "../support/objects.ts";

const a = { gang: gangNamed("a") };

/** The members of gang default/a that these pods are, of which those called `held` are held. */
function podsOf(...pods: PodParts[]) {
  return groupPods([a], unattended(clusterWith(pods)))["default/a"]!;
}

function unattended(cluster: Cluster) {
  return { cluster, groupOf: () => undefined };
}

function clusterWith(pods: readonly PodParts[]): Cluster {
  const cluster = new Cluster({
    podChanged: () => {},
    podGroupChanged: () => {},
    roomChanged: () => {},
  }, { schedulerNames: ["muster"] });
  const labels = { "pod-group/name": "a", "pod-group/min-available": "2" };
  for (const pod of pods) cluster.podChanged(podOf({ schedulerName: "muster", labels, ...pod }));
  const held = cluster.pods.get("uid-held");
  if (held) held.call = { id: 1, pod: { node: "node-2" } } as never;
  return cluster;
}

Deno.test("groupPods() has every member by name, with its state, its node and what it asks for", () => {
  const pods = podsOf(
    { name: "run", nodeName: "node-1", phase: "Running", containers: [container({ cpu: "2" })] },
    { name: "held", containers: [container({ "nvidia.com/gpu": "8" })] },
    { name: "bound", nodeName: "node-1" },
    { name: "gone", nodeName: "node-1", phase: "Running", isTerminating: true },
    { name: "other", schedulerName: "volcano" },
    { name: "wait" },
  );
  const told = pods.map((pod) => `${pod.name} ${pod.state} ${nodeText(pod)}`);
  assertEquals(told, [
    "bound bound node-1",
    "gone terminating node-1",
    "held held to node-2",
    "other foreign -",
    "run running node-1",
    "wait pending -",
  ]);
  assertEquals(pods.find(({ name }) => name === "run")?.requests, { cpu: 2000 });
  assertEquals(pods.find(({ name }) => name === "held")?.requests, { "nvidia.com/gpu": 8 });
});

Deno.test("groupPods() has the first hundred of a gang, a thousand of a group, and no gang that is gone", () => {
  const many = Array.from({ length: 150 }, (_, index) => ({ name: `p-${index}` }));
  const known = unattended(clusterWith(many));
  const others = Array.from({ length: 19 }, (_, index) => ({ gang: gangNamed(`other-${index}`) }));
  assertEquals(groupPods([a], known)["default/a"]?.length, 100);
  assertEquals(groupPods([a], known)["default/a"]?.[1]?.name, "p-1");
  const shown = groupPods([a, ...others], known);
  assertEquals(Object.entries(shown).map(([id, pods]) => [id, pods.length]), [["default/a", 50]]);
});

/** A gang that wants one rack, planned to these nodes by kind. */
function plannedIn(cluster: Cluster, known: Partial<Attended>): GangGroup {
  const group = new GroupTable(cluster, () => {}).find("default/a")!;
  group.attended = { ...group.attended, ...known };
  return group;
}

Deno.test("groupPods() tells where members are to go, and the domains of all nodes, where a topology is declared", () => {
  const inOneRack = { annotations: { "muster.scheduling/required-topology": "example.com/rack" } };
  const cluster = clusterWith([
    { name: "a-0", nodeName: "n1", ...inOneRack },
    { name: "a-1", ...inOneRack },
    { name: "a-2", ...inOneRack },
  ]);
  for (const [name, rack] of [["n1", "r1"], ["n2", "r1"]] as const) {
    const metadata = { name, uid: `uid-${name}`, labels: { "example.com/rack": rack } };
    cluster.room.nodeChanged({ metadata, spec: {} });
  }
  const { kind, requests } = cluster.pods.get("uid-a-1")!;
  const plan: Plan = {
    fit: { members: 1, of: 1 },
    taken: [{ node: "n2", kind, requests, count: 1 }],
    steering: "strict",
    isShort: false,
  };
  const told = (known: Partial<Attended>) =>
    groupPods([a], { cluster, groupOf: () => plannedIn(cluster, known) })["default/a"]!
      .map((pod) => `${pod.name} ${nodeText(pod)} ${pod.domain ?? "-"}`);
  assertEquals(told({ plan }), ["a-0 n1 rack r1", "a-1 to n2 rack r1", "a-2 - -"]);
  assertEquals(told({ plan: { ...plan, steering: "free" } }), [
    "a-0 n1 rack r1",
    "a-1 - -",
    "a-2 - -",
  ]);
  const members = [{ uid: "uid-a-2", node: "n1" }];
  const clearance = { taken: [], members, victims: [], names: [] };
  assertEquals(told({ clearance })[2], "a-2 to n1 rack r1");
});

function gangNamed(name: string): GangSpec {
  return { namespace: "default", name, minMember: 2, createdAt: "2026-01-01T00:00:00Z" };
}
