import { assertEquals } from "@std/assert";
import { untilGang } from "../support/gangs.ts";
import { untilHeld } from "../support/metrics.ts";
import { addNode, type Cluster, onCluster } from "../support/on_cluster.ts";
import { installPodGroups, PodGroups } from "../support/pod_groups.ts";
import { koordinatorAnnotations, needsAnchor, whyPending } from "../support/pods.ts";
import { membersOf, type Space } from "../support/space.ts";

const coscheduling = "scheduling.x-k8s.io";

// A member that finds no node lets nobody go in this profile, so that a round may time out, or another gang come.
const scenario = onCluster(() => ({
  nodes: { "node-1": 4, "node-2": 4 },
  muster: { profile: "kep" },
  started: ({ controlPlane }) => installPodGroups(controlPlane.api, coscheduling),
}));

/** Creates three members, of which the last one can not be placed. */
async function createIncomplete(space: Space, name: string, wait: string): Promise<string[]> {
  const names = membersOf(name, 3);
  const annotations = koordinatorAnnotations({ name, "min-available": "3", "waiting-time": wait });
  for (const name of names.slice(0, 2)) await space.create(name, { gpus: 1, annotations });
  await space.create(names[2]!, { gpus: 1, annotations, spec: needsAnchor });
  return names.slice(0, 2);
}

/** Of each node, two GPUs are left. */
async function takeHalf(space: Space): Promise<void> {
  for (const node of ["node-1", "node-2"]) {
    const spec = { nodeSelector: { "kubernetes.io/hostname": node } };
    await space.create(`blocker-${node}`, { gpus: 2, spec });
  }
  await space.untilBound(["blocker-node-1", "blocker-node-2"]);
}

const onOneNode = { "muster.scheduling/required-topology": "kubernetes.io/hostname" };

scenario("a pod says that its gang was let go at the end of its wait", async ({ space }) => {
  const held = await createIncomplete(space, "late", "3s");
  await space.untilTold(
    held,
    "was let go: not all of its members found a node within 3 s, only 2 of 3",
  );
});

scenario(
  "a pod says that its gang was let go, incomplete, when another gang came",
  async ({ cluster, space }) => {
    const held = await createIncomplete(space, "first", "600s");
    await untilWaits({ cluster, space }, "first");
    await space.createGang("second", { size: 2, gpus: 1 });
    await space.untilTold(held, `was let go, incomplete, when gang ${space.name}/second came`);
    await space.untilBound(membersOf("second", 2));
  },
);

/** Resolves when policy knows that the gang of this name waits: its members are held a moment before. */
async function untilWaits({ cluster, space }: { cluster: Cluster; space: Space }, name: string) {
  const waits = ({ reason }: { reason: string }) => reason === "WaitingForMembers";
  await untilGang(cluster.muster.url, `${space.name}/${name}`, waits);
}

scenario("a pod says that another member of its gang was lost", async (context) => {
  const { space } = context;
  const [lost, kept] = await createIncomplete(space, "torn", "600s");
  await untilWaits(context, "torn");
  await space.delete(lost!);
  await space.untilTold([kept!], `lost its held member ${lost}: the pod was deleted`);
});

scenario(
  "a pod says that the node of another member of its gang was deleted, and none is bound",
  async ({ cluster: { controlPlane, muster }, space }) => {
    await addNode(controlPlane, { name: "leaving", gpus: 1 });
    const gang = { name: "gang", minAvailable: 3 };
    const spec = { nodeSelector: { "kubernetes.io/hostname": "leaving" } };
    await space.create("gang-0", { gang, gpus: 1, spec });
    await space.create("gang-1", { gang, gpus: 4 });
    await space.create("gang-2", { gang, spec: needsAnchor });
    await untilHeld(muster.url, 2);
    await controlPlane.api.delete("/api/v1/nodes/leaving");
    await space.untilTold(["gang-1"], "lost its held member gang-0: its node is gone, or has");
    await space.create("anchor", { labels: { app: "anchor" } });
    await space.untilBound(["anchor"]);
    assertEquals(await space.bound(), ["anchor"]);
  },
);

scenario("a pod says for whom its gang was let go", async (context) => {
  const { space } = context;
  const held = await createIncomplete(space, "low", "600s");
  await untilWaits(context, "low");
  const high = { gpus: 4, spec: { priorityClassName: "high" } };
  await space.create("high-0", high);
  await space.create("high-1", high);
  const told = `gang ${space.name}/low was let go for pod ${space.name}/high-`;
  await space.until(
    "a held member says for whom it was let go",
    (pods) =>
      pods.some((pod) => held.includes(pod.metadata.name) && whyPending(pod)?.includes(told)),
  );
  await space.untilBound(["high-0", "high-1"]);
});

scenario(
  "a gang that holds members, and is not whole in time, is let go for one of higher priority",
  async (context) => {
    const { space } = context;
    await createIncomplete(space, "low", "600s");
    await untilWaits(context, "low");
    await space.createGang("high", { size: 2, gpus: 4, spec: { priorityClassName: "high" } });
    await space.untilBound(membersOf("high", 2));
  },
);

scenario(
  "a member beyond the minimum leaves its room to the rest of its gang group",
  async ({ space }) => {
    const groups = JSON.stringify([`${space.name}/ready`, `${space.name}/other`]);
    const of = (name: string, min: string) =>
      koordinatorAnnotations({ name, groups, "min-available": min });
    const other = { annotations: of("other", "1"), gpus: 1, spec: needsAnchor };
    await space.create("other-0", other);
    const ready = { annotations: of("ready", "1"), gpus: 1 };
    for (const name of membersOf("ready", 3)) await space.create(name, ready);
    const sentence =
      `gang ${space.name}/ready needs no more members before gang ${space.name}/other of its group is whole`;
    await space.until(
      "two of three leave their room",
      (pods) => pods.filter((pod) => whyPending(pod)?.includes(sentence)).length === 2,
    );
    await space.create("anchor", { labels: { app: "anchor" } });
    await space.untilBound([...membersOf("ready", 3), "other-0"]);
  },
);

scenario(
  "a pod says that its gang is planned anew, without a node that the scheduler refuses",
  async ({ space }) => {
    const onPort = (hostPort: number) => ({
      containers: [{
        name: "main",
        image: "none",
        ports: [{ hostPort, containerPort: hostPort }],
        resources: { limits: { "nvidia.com/gpu": "1" } },
      }],
    });
    // Two GPUs are left of the first node, which fits the gang best, and its port is taken.
    const node = { nodeSelector: { "kubernetes.io/hostname": "node-1" } };
    await space.create("blocker", { gpus: 1, spec: node });
    await space.create("server", { spec: { ...onPort(8080), ...node } });
    await space.untilBound(["blocker", "server"]);
    const gang = { name: "moved", minAvailable: 2 };
    await space.create("moved-0", { gang, annotations: onOneNode, spec: onPort(8080) });
    await space.create("moved-1", { gang, annotations: onOneNode, gpus: 1 });
    await space.untilTold(
      ["moved-0"],
      "is planned anew, because the scheduler does not take this member on node-1",
    );
    await space.untilBound(membersOf("moved", 2));
  },
);

scenario("a pod says that its minResources are not there", async ({ cluster, space }) => {
  const podGroups = new PodGroups(cluster.controlPlane.api, {
    apiVersion: `${coscheduling}/v1alpha1`,
    namespace: space.name,
  });
  await space.create("blocker", { gpus: 2 });
  await space.untilBound(["blocker"]);
  await podGroups.create("large", { minMember: 2, minResources: { "nvidia.com/gpu": "7" } });
  const names = membersOf("large", 2);
  const labels = { "scheduling.x-k8s.io/pod-group": "large" };
  for (const name of names) await space.create(name, { gpus: 1, labels });
  await space.untilTold(
    names,
    "the cluster is short of nvidia.com/gpu for its minResources, asked are 7 nvidia.com/gpu and free 6",
  );
});

scenario("a pod says how near a domain comes to what its gang requires", async ({ space }) => {
  await takeHalf(space);
  await space.createGang("close", { size: 3, gpus: 1, annotations: onOneNode });
  await space.untilTold(membersOf("close", 3), "hostname node-1 has room for 2 of 3, node-2 for 2");
});

scenario(
  "a member beyond the minimum says that there is no room for it beside the others",
  async ({ space }) => {
    await takeHalf(space);
    const names = membersOf("beside", 3);
    await space.createGang("beside", {
      size: 3,
      minAvailable: 2,
      gpus: 1,
      annotations: onOneNode,
    });
    const pods = await space.until(
      "two have a node, and the third says why not",
      (pods) =>
        names.filter((name) =>
            pods.some((pod) => pod.metadata.name === name && pod["spec"].nodeName)
          ).length === 2 &&
        pods.some((pod) => whyPending(pod)?.includes("has no room for one more member where it")),
    );
    const nodes = pods.filter(({ metadata }) => names.includes(metadata.name))
      .flatMap((pod) => pod["spec"].nodeName ?? []);
    assertEquals(new Set(nodes).size, 1);
  },
);
