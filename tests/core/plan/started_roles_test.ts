import { assertEquals } from "@std/assert";
import { GangGroup } from "../../../shared/cluster/gang_group.ts";
import { container, podOf } from "../../support/objects.ts";
import { clusterOf, gpu, groupOf, now, planIn } from "../../support/planned_gangs.ts";

/** Roles that a gang needs, its members as `role`, or `role@node` those that run, and the roles that start on a node with two GPUs. */
const rows: [id: string, minimums: string, members: string[], start: string[]][] = [
  [
    "not for what another lacks that runs with fewer",
    "worker=2,leader=1",
    ["worker@a", "worker", "leader"],
    ["leader"],
  ],
  [
    "not for one of which all members are gone",
    "ps=1,worker=2,leader=1",
    ["ps@a", "leader"],
    ["leader"],
  ],
  [
    "for room for all that it needs itself",
    "ps=1,leader=2",
    ["ps@a", "leader", "leader"],
    [],
  ],
];

function gangOf(minimums: string, members: readonly string[], nodes: Record<string, number>) {
  const pods = members.map((text, index) => {
    const [role, nodeName] = text.split("@") as [string, string?];
    return podOf({
      name: `${role}-${index}`,
      labels: {
        "pod-group.scheduling.sigs.k8s.io/name": "g",
        "pod-group.scheduling.sigs.k8s.io/min-available": "1",
      },
      annotations: {
        "muster.scheduling/role": role,
        "muster.scheduling/role-min": minimums,
      },
      containers: [container({ [gpu]: "1" })],
      ...(nodeName && { nodeName }),
    });
  });
  const cluster = clusterOf({ nodes, pods });
  const group = new GangGroup("default/g", now);
  group.gangs.push(cluster.gangs.get("default/g")!);
  return { cluster, group };
}

for (const [id, minimums, members, start] of rows) {
  Deno.test(`plan: a role of a gang that runs waits ${id}`, () => {
    const { cluster, group } = gangOf(minimums, members, { a: 2 });
    const { taken = [] } = planIn([group], { cluster }).byGroup.get(group.id)!;
    assertEquals(taken.map(({ role }) => role), start);
  });
}

Deno.test("plan: what a role of a gang that runs has lost goes before the gangs behind, however many members another has", () => {
  const members = ["ps@a", "ps@a", "worker@a", "worker"];
  const { cluster, group } = gangOf("ps=1,worker=2", members, { a: 4 });
  const behind = groupOf({ name: "behind", size: 1, gpus: 1 }, cluster);
  const { byGroup } = planIn([group, behind], { cluster });
  assertEquals(byGroup.get(group.id)!.surplus?.map(({ role }) => role), ["worker"]);
  assertEquals(byGroup.get(behind.id)!.fit.members, 0);
});

Deno.test("plan: where bound members do not count a role starts with as many others as it needs", () => {
  const members = ["ps@a", "aide", "aide", "aide", "ps", "ps"];
  const { cluster, group } = gangOf("aide=1,ps=2", members, { a: 4 });
  const { byGroup } = planIn([group], { cluster, matchPolicy: "only-waiting" });
  const { taken = [] } = byGroup.get(group.id)!;
  assertEquals(taken.map(({ role, count }) => `${role} ${count}`), ["aide 1", "ps 2"]);
});
