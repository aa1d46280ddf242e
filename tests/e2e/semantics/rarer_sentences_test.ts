import { assertEquals } from "@std/assert";
import { untilGang } from "../support/gangs.ts";
import { onCluster } from "../support/on_cluster.ts";
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
    // Held they are a moment before policy knows that they wait.
    const waits = ({ reason }: { reason: string }) => reason === "WaitingForMembers";
    await untilGang(cluster.muster.url, `${space.name}/first`, waits);
    await space.createGang("second", { size: 2, gpus: 1 });
    await space.untilTold(held, `was let go, incomplete, when gang ${space.name}/second came`);
    await space.untilBound(membersOf("second", 2));
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
