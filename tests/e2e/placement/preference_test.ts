import { assertEquals } from "@std/assert";
import type { KubernetesObject } from "../../../tools/control_plane/api_client.ts";
import { onCluster } from "../support/on_cluster.ts";
import { membersOf } from "../support/space.ts";

const scenario = onCluster(() => ({
  nodes: { "node-1": 2, "node-2": 4, "node-3": 2, plain: 0 },
}));

scenario("a gang that says nothing of its place goes to the fullest nodes", async ({ space }) => {
  await space.createGang("gang", { size: 4, gpus: 1 });
  assertEquals(nodesOf(await space.untilBound(membersOf("gang", 4))), ["node-1", "node-3"]);
});

scenario(
  "a gang that asks for no device leaves nodes with free devices to others",
  async ({ space }) => {
    await space.createGang("gang", { size: 4 });
    assertEquals(nodesOf(await space.untilBound(membersOf("gang", 4))), ["plain"]);
  },
);

scenario(
  "members that want to share a host go to one that takes all of them",
  async ({ space }) => {
    const podAffinity = {
      requiredDuringSchedulingIgnoredDuringExecution: [{
        labelSelector: { matchLabels: { app: "near" } },
        topologyKey: "kubernetes.io/hostname",
      }],
    };
    const spec = { affinity: { podAffinity } };
    await space.createGang("gang", { size: 3, gpus: 1, labels: { app: "near" }, spec });
    assertEquals(nodesOf(await space.untilBound(membersOf("gang", 3))), ["node-2"]);
  },
);

const rather = (name: string) => ({
  affinity: {
    nodeAffinity: {
      preferredDuringSchedulingIgnoredDuringExecution: [{
        weight: 100,
        preference: {
          matchExpressions: [{ key: "kubernetes.io/hostname", operator: "In", values: [name] }],
        },
      }],
    },
  },
});

for (const name of ["node-1", "node-2", "node-3"]) {
  scenario(`the scheduler weighs what members would rather have: ${name}`, async ({ space }) => {
    await space.createGang("gang", { size: 2, gpus: 1, spec: rather(name) });
    assertEquals(nodesOf(await space.untilBound(membersOf("gang", 2))), [name]);
  });
}

const spot = { key: "spot", value: "yes", effect: "PreferNoSchedule" };

for (const name of ["node-1", "node-3"]) {
  scenario(`the scheduler weighs taints: all nodes but ${name} are the last choice`, async ({
    cluster: { controlPlane: { api } },
    space,
  }) => {
    const others = ["node-1", "node-2", "node-3"].filter((other) => other !== name);
    const taint = (taints: object[] | null) =>
      Promise.all(others.map((node) => api.patch(`/api/v1/nodes/${node}`, { spec: { taints } })));
    await taint([spot]);
    try {
      // Told once the scheduler and the relay know the taints: both hear of nodes in the order of their changes.
      await space.create("first", { spec: { nodeSelector: { "kubernetes.io/hostname": name } } });
      await space.untilBound(["first"]);
      await space.createGang("gang", { size: 2, gpus: 1 });
      assertEquals(nodesOf(await space.untilBound(membersOf("gang", 2))), [name]);
    } finally {
      await taint(null);
    }
  });
}

function nodesOf(pods: readonly KubernetesObject[]): string[] {
  const members = pods.filter(({ metadata }) => metadata.name.startsWith("gang-"));
  return [...new Set(members.map((pod) => pod["spec"].nodeName as string))].sort();
}
