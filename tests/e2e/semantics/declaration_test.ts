import { assertEquals } from "@std/assert";
import { untilGang } from "../support/gangs.ts";
import { addNode, type Cluster, onCluster } from "../support/on_cluster.ts";
import {
  apiVersionOf,
  installPodGroups,
  type PodGroupApi,
  PodGroups,
  uninstallPodGroups,
} from "../support/pod_groups.ts";
import { koordinatorAnnotations, type PodOptions } from "../support/pods.ts";
import { membersOf, type Space } from "../support/space.ts";

const scenario = onCluster(() => ({ nodes: { "node-1": 4, "node-2": 4 } }));

const sigs = "scheduling.sigs.k8s.io";
const label = { labels: { "pod-group.scheduling.sigs.k8s.io": "train" } };

/** How members point to the PodGroup "train" of each API group, and its quorum of 2. */
const kinds: Record<PodGroupApi, { member: PodOptions; spec: object }> = {
  "scheduling.volcano.sh": {
    member: { annotations: { "scheduling.volcano.sh/group-name": "train" } },
    spec: { minMember: 2 },
  },
  "scheduling.run.ai": {
    member: { annotations: { "pod-group-name": "train" } },
    spec: { minMember: 2 },
  },
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
  return new PodGroups(api, { apiVersion: apiVersionOf(group), namespace: space.name });
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
      const sentence = 'create one named "train", of ';
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
  await podGroups.create("train", { minMember: 2 });
  await space.create("train-0", label);
  await space.untilTold(["train-0"], `gang ${space.name}/train has 1 of 2 members`);
  await podGroups.patch("train", { spec: { minMember: 3 } });
  await untilGang(cluster.muster.url, `${space.name}/train`, ({ spec }) => spec.minMember === 3);
  await space.create("train-1", label);
  await space.untilTold(["train-1"], `gang ${space.name}/train has 2 of 3 members`);
  assertEquals(await space.bound(), []);
  await podGroups.patch("train", { spec: { minMember: 2 } });
  await space.untilBound(["train-0", "train-1"]);
});

scenario(
  "a gang whose kind of PodGroup is uninstalled waits, and starts when kind and PodGroup are there again",
  async (context) => {
    const { cluster, space } = context;
    const podGroups = await podGroupsOf(context);
    await podGroups.create("train", { minMember: 3 });
    await space.create("train-0", label);
    await space.untilTold(["train-0"], `gang ${space.name}/train has 1 of 3 members`);
    await uninstallPodGroups(cluster.controlPlane.api, sigs);
    await space.untilTold(["train-0"], `gang ${space.name}/train waits for its PodGroup`);
    await podGroupsOf(context);
    await podGroups.create("train", { minMember: 2 });
    await space.create("train-1", label);
    await space.untilBound(["train-0", "train-1"]);
  },
);

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

scenario("gangs of one name in two namespaces are two gangs", async ({ space, otherSpace }) => {
  const other = await otherSpace();
  const gang = { name: "train", minAvailable: 2 };
  await space.create("train-0", { gang });
  await other.create("train-0", { gang });
  await space.untilTold(["train-0"], `gang ${space.name}/train has 1 of 2 members`);
  await other.untilTold(["train-0"], `gang ${other.name}/train has 1 of 2 members`);
  await other.create("train-1", { gang });
  await other.untilBound(["train-0", "train-1"]);
  assertEquals(await space.bound(), []);
  await space.create("train-1", { gang });
  await space.untilBound(["train-0", "train-1"]);
});

scenario(
  "the quorum on pods may be changed by creating them anew, and the oldest pod's rules until it is gone",
  async ({ cluster, space }) => {
    const before = { name: "train", minAvailable: 3 };
    const after = { name: "train", minAvailable: 2 };
    await space.create("train-0", { gang: before });
    await space.create("train-1", { gang: before });
    await space.untilTold(["train-1"], `gang ${space.name}/train has 2 of 3 members`);
    await space.delete("train-1");
    await space.create("train-1", { gang: after });
    await space.untilEvent(
      "an event says whose quorum rules",
      ({ pod, reason, message }) =>
        pod === "train-1" && reason === "GangConflict" &&
        message.includes("pod train-0, the oldest one that can, rules"),
    );
    assertEquals(await space.bound(), []);
    await space.delete("train-0");
    await space.create("train-0", { gang: after });
    await space.untilBound(["train-0", "train-1"]);
    const { spec } = await untilGang(
      cluster.muster.url,
      `${space.name}/train`,
      (gang) => gang.phase === "Running",
    );
    assertEquals(spec.minMember, 2);
  },
);

/** Starts a gang of three, deletes one of them, and gives what is left. */
async function loseMember(space: Space, annotations: Record<string, string>): Promise<string[]> {
  const names = membersOf("train", 3);
  for (const name of names) await space.create(name, { gpus: 2, annotations });
  await space.untilBound(names);
  const [lost = "", ...left] = names;
  await space.delete(lost);
  return left;
}

for (const policy of ["once-satisfied", "waiting-and-running"]) {
  scenario(
    `with match policy ${policy} a member that was lost is replaced alone`,
    async ({ space }) => {
      const annotations = koordinatorAnnotations({
        name: "train",
        "min-available": "3",
        "match-policy": policy,
      });
      const left = await loseMember(space, annotations);
      await space.create("replacement", { gpus: 2, annotations });
      await space.untilBound(["replacement", ...left]);
    },
  );
}
