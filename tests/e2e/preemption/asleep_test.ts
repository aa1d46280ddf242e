import { assertEquals } from "@std/assert";
import { onCluster } from "../support/on_cluster.ts";
import { installPodGroups, PodGroups } from "../support/pod_groups.ts";
import { membersOf, type Space } from "../support/space.ts";

const group = "scheduling.x-k8s.io";

const scenario = onCluster(() => ({
  nodes: { "node-1": 1, "node-2": 1 },
  muster: { extraArgs: ["--evict=false"] },
  started: ({ controlPlane: { api } }) => installPodGroups(api, group),
}));

for (const [by, isRestarted] of [["the", false], ["another", true]] as const) {
  scenario(
    `members that were not to evict are tried again by ${by} relay once their gang may start`,
    async ({ cluster, space }) => {
      const { controlPlane: { api }, muster } = cluster;
      const podGroups = new PodGroups(api, {
        apiVersion: `${group}/v1alpha1`,
        namespace: space.name,
      });
      await fill(space);
      await podGroups.create("train", { minMember: 3 });
      const members = membersOf("train", 2);
      for (const name of members) {
        await space.create(name, {
          gpus: 1,
          labels: { [`${group}/pod-group`]: "train" },
          spec: { priorityClassName: "high" },
        });
      }
      await space.untilTold(members, "no candidate node for preemption");
      if (isRestarted) {
        await muster.kill();
        await muster.start();
      }
      await podGroups.patch("train", { spec: { minMember: 2 } });
      await space.untilBound(members);
      const pods = await space.pods();
      assertEquals(pods.map(({ metadata: { name } }) => name).sort(), members);
    },
  );
}

async function fill(space: Space): Promise<void> {
  const spec = { priorityClassName: "low" };
  await space.create("low-1", { gpus: 1, spec });
  await space.create("low-2", { gpus: 1, spec });
  await space.untilBound(["low-1", "low-2"]);
}
