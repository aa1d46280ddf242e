import { assertEquals } from "@std/assert";
import { untilGang } from "../support/gangs.ts";
import { addNode, type Cluster, onCluster } from "../support/on_cluster.ts";
import { installPodGroups, type PodGroupApi, PodGroups } from "../support/pod_groups.ts";
import type { PodOptions } from "../support/pods.ts";
import { membersOf, type Space } from "../support/space.ts";

const scenario = onCluster(() => ({ nodes: { "node-1": 4, "node-2": 4 } }));

const sigs = "scheduling.sigs.k8s.io";
const label = { labels: { "pod-group.scheduling.sigs.k8s.io": "train" } };

/** How members point to the PodGroup "train" of each API group, and its quorum of 2. */
const kinds: Record<PodGroupApi, { member: PodOptions; spec: object }> = {
  [sigs]: { member: label, spec: { minMember: 2 } },
  "scheduling.x-k8s.io": {
    member: { labels: { "scheduling.x-k8s.io/pod-group": "train" } },
    spec: { minMember: 2 },
  },
  "incubator.scheduling.k8s.io": {
    member: { annotations: { "scheduling.k8s.io/group-name": "train" } },
    spec: { minMembers: 2 },
  },
};

/** The PodGroups of an API group in the test's namespace. */
async function podGroupsOf(
  { cluster, space }: { cluster: Cluster; space: Space },
  group: PodGroupApi = sigs,
): Promise<PodGroups> {
  const { api } = cluster.controlPlane;
  await installPodGroups(api, group);
  return new PodGroups(api, { apiVersion: `${group}/v1alpha1`, namespace: space.name });
}

for (
  const [group, { member, spec }] of Object.entries(kinds) as [
    PodGroupApi,
    typeof kinds[PodGroupApi],
  ][]
) {
  scenario(
    `pods that are there before the PodGroup of ${group} is, and before its kind is installed, start when it comes`,
    async ({ cluster, space }) => {
      const { pid } = cluster.muster.process;
      const names = ["train-0", "train-1"];
      for (const name of names) await space.create(name, member);
      const sentence =
        `gang ${space.name}/train waits for its PodGroup: create a ${group} PodGroup named "train"`;
      await space.untilTold(names, sentence);
      const podGroups = await podGroupsOf({ cluster, space }, group);
      await space.createGang("other", { size: 2 });
      await space.untilBound(membersOf("other", 2));
      assertEquals(await space.bound(), membersOf("other", 2));
      await podGroups.create("train", spec);
      await space.untilBound(names);
      assertEquals(cluster.muster.process.pid, pid);
    },
  );
}

scenario("the quorum of a PodGroup may be changed while its gang waits", async (context) => {
  const { cluster, space } = context;
  const podGroups = await podGroupsOf(context);
  await podGroups.create("train", { minMember: 3 });
  for (const name of ["train-0", "train-1"]) await space.create(name, { ...label, gpus: 2 });
  await space.untilTold(["train-0", "train-1"], `gang ${space.name}/train has 2 of 3 members`);
  await podGroups.patch("train", { spec: { minMember: 4 } });
  await space.untilTold(["train-0", "train-1"], `gang ${space.name}/train has 2 of 4 members`);
  await podGroups.patch("train", { spec: { minMember: 2 } });
  await space.untilBound(["train-0", "train-1"]);
  const gang = await untilGang(
    cluster.muster.url,
    `${space.name}/train`,
    ({ phase }) => phase === "Running",
  );
  assertEquals(gang.spec.minMember, 2);
});

scenario(
  "pods bound for an earlier PodGroup of the same name are not members of the new one",
  async (context) => {
    const { space } = context;
    const podGroups = await podGroupsOf(context);
    const spec = { minMember: 2 };
    await podGroups.create("train", spec);
    const earlier = ["earlier-0", "earlier-1"];
    for (const name of earlier) await space.create(name, label);
    const pods = await space.untilBound(earlier);
    await podGroups.delete("train");
    const times = pods.flatMap((pod) => pod["status"].conditions)
      .filter(({ type }) => type === "PodScheduled")
      .map(({ lastTransitionTime }) => String(lastTransitionTime));
    await podGroups.untilAfter(times.sort().at(-1)!, spec);
    await podGroups.create("train", spec);
    await space.create("new-0", label);
    await space.untilTold(["new-0"], `gang ${space.name}/train has 1 of 2 members`);
    await space.create("new-1", label);
    await space.untilBound(["new-0", "new-1"]);
    assertEquals(await space.bound(), [...earlier, "new-0", "new-1"]);
  },
);

scenario(
  "a gang whose minResources are not free waits, says which, and starts when a node brings them",
  async (context) => {
    const { cluster, space } = context;
    const { controlPlane } = cluster;
    const podGroups = await podGroupsOf(context);
    await podGroups.create("train", { minMember: 2, minResources: { "nvidia.com/gpu": 10 } });
    const names = ["train-0", "train-1"];
    for (const name of names) await space.create(name, { ...label, gpus: 1 });
    await space.untilTold(names, "short of nvidia.com/gpu");
    // What it asks for beyond its members is kept for nobody.
    await space.createGang("other", { size: 2, gpus: 1 });
    await space.untilBound(membersOf("other", 2));
    assertEquals(await space.bound(), membersOf("other", 2));
    await addNode(controlPlane, { name: "node-3", gpus: 4 });
    await space.untilBound(names);
    await space.delete(...names, ...membersOf("other", 2));
    await controlPlane.api.delete("/api/v1/nodes/node-3");
  },
);
