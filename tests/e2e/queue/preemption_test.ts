import { assert, assertEquals } from "@std/assert";
import { relayUser, victimsOf } from "../../../tools/control_plane/audit.ts";
import { auditOf } from "../support/invariants.ts";
import { addNode, type Cluster, onCluster } from "../support/on_cluster.ts";
import { membersOf, type Space } from "../support/space.ts";

const names = ["node-1", "node-2", "node-3", "node-4"];
const scenario = onCluster(() => ({
  nodes: Object.fromEntries(names.map((name) => [name, 1])),
}));

/** A spec of low priority that fits on one node only. */
function lowOn(node: string): object {
  return { priorityClassName: "low", nodeSelector: { "kubernetes.io/hostname": node } };
}

/** Creates a gang of low priority with a member on each of the nodes, and waits until it runs. */
async function createLowGang(space: Space, name: string, nodes: readonly string[]): Promise<void> {
  const gang = { name, minAvailable: nodes.length };
  for (const [index, node] of nodes.entries()) {
    await space.create(`${name}-${index}`, { gpus: 1, gang, spec: lowOn(node) });
  }
  await space.untilBound(membersOf(name, nodes.length));
}

/** The names of this test's victims, sorted. */
async function victims({ cluster, space }: { cluster: Cluster; space: Space }): Promise<string[]> {
  const all = victimsOf(await auditOf(cluster.controlPlane));
  return all.filter((pod) => pod.startsWith(`${space.name}/`))
    .map((pod) => pod.slice(space.name.length + 1)).sort();
}

const high = { gpus: 1, spec: { priorityClassName: "high" } };

scenario(
  "a gang of high priority evicts regular pods and leaves a running gang alone, though its pods are the younger ones",
  async (context) => {
    const { space } = context;
    await space.create("regular-1", { gpus: 1, spec: lowOn("node-1") });
    await space.create("regular-2", { gpus: 1, spec: lowOn("node-2") });
    await space.untilBound(["regular-1", "regular-2"]);
    await createLowGang(space, "running", ["node-3", "node-4"]);
    await space.createGang("high", { size: 2, ...high });
    await space.untilBound(membersOf("high", 2));
    assertEquals(await victims(context), ["regular-1", "regular-2"]);
  },
);

scenario(
  "where gangs have to make room one leaves, and the other one stays whole",
  async (context) => {
    const { space } = context;
    await createLowGang(space, "a", ["node-1", "node-2"]);
    await createLowGang(space, "b", ["node-3", "node-4"]);
    await space.createGang("high", { size: 2, ...high });
    await space.untilBound(membersOf("high", 2));
    const evicted = await victims(context);
    assertEquals(evicted, membersOf(evicted[0]?.split("-")[0] ?? "", 2));
  },
);

scenario(
  "a gang that would not become whole even so evicts nobody; one that comes after it does",
  async (context) => {
    const { space } = context;
    for (const [index, node] of names.entries()) {
      await space.create(`regular-${index}`, { gpus: 1, spec: lowOn(node) });
    }
    await space.untilBound(membersOf("regular", 4));
    await space.createGang("too-large", { size: 5, ...high });
    // The scheduler found victims for every member, and was not allowed to evict them.
    await space.untilTold(membersOf("too-large", 5), "no candidate node for preemption");
    assertEquals(await victims(context), []);
    await space.createGang("high", { size: 4, ...high });
    await space.untilBound(membersOf("high", 4));
    assertEquals(await victims(context), membersOf("regular", 4));
  },
);

scenario(
  "a relay that starts lets in the highest priority first, not the oldest gang to evict it at once",
  async (context) => {
    const { cluster: { muster }, space } = context;
    await space.create("before", high);
    await space.untilBound(["before"]);
    for (const gang of ["low", "high"]) {
      const spec = {
        priorityClassName: gang,
        schedulingGates: [{ name: "muster.scheduling/queued" }],
      };
      await space.createGang(gang, { size: 4, gpus: 1, spec });
      await space.untilTold(membersOf(gang, 4), "finds it for 3");
    }
    await muster.kill();
    await space.delete("before");
    await muster.start();
    await space.untilBound(membersOf("high", 4));
    assertEquals(await victims(context), []);
  },
);

scenario(
  "gang after gang evicts what it needs on one node, and starts when that has left",
  async (context) => {
    const { cluster, space } = context;
    await addNode(cluster.controlPlane, { name: "shared", gpus: 3 });
    const shared = { nodeSelector: { "kubernetes.io/hostname": "shared" } };
    // Which of several deletions the scheduler hears of first is chance.
    for (const round of Array(10).keys()) {
      const victims = [`a-${round}`, `b-${round}`];
      const stays = `stays-${round}`;
      for (const name of victims) {
        await space.create(name, { gpus: 1, spec: { priorityClassName: "low", ...shared } });
      }
      await space.create(stays, { gpus: 1, spec: { priorityClassName: "high", ...shared } });
      await space.untilBound([...victims, stays]);
      const gang = `gang-${round}`;
      const spec = { priorityClassName: "high", ...shared };
      await space.createGang(gang, { size: 2, gpus: 1, spec });
      await space.untilBound(membersOf(gang, 2));
      await space.delete(...membersOf(gang, 2), stays);
    }
    const written = (await auditOf(cluster.controlPlane)).filter(({ objectRef, user, verb }) =>
      user.username === relayUser && verb === "patch" && objectRef?.subresource === "status" &&
      objectRef.namespace === space.name
    );
    const goals = written.map(({ requestObject }) => requestObject?.status?.nominatedNodeName);
    assert(goals.includes("shared"));
    // It is of the pod as it was seen.
    const takenBack = written.filter(({ requestObject }) =>
      requestObject?.metadata?.resourceVersion !== undefined &&
      requestObject.status?.nominatedNodeName === null
    );
    assertEquals(
      takenBack.map(({ objectRef }) => objectRef?.name),
      [],
      "a member missed that others left: it was woken by the end of its nomination",
    );
  },
);
