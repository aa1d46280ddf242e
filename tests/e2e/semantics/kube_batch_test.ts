import { assertEquals } from "@std/assert";
import { untilGang } from "../support/gangs.ts";
import { onCluster } from "../support/on_cluster.ts";
import { installPodGroups, PodGroups } from "../support/pod_groups.ts";
import { membersOf } from "../support/space.ts";

const scenario = onCluster(() => ({
  nodes: { "node-1": 4, "node-2": 4 },
  muster: { profile: "kube-batch" },
}));

const group = "incubator.scheduling.k8s.io";
const member = { gpus: 1, annotations: { "scheduling.k8s.io/group-name": "job" } };

scenario(
  "a job that runs with too few members gets an event on its PodGroup, and is whole again with a replacement",
  async ({ cluster, space }) => {
    const { api } = cluster.controlPlane;
    await installPodGroups(api, group);
    const podGroups = new PodGroups(api, {
      apiVersion: `${group}/v1alpha1`,
      namespace: space.name,
    });
    await podGroups.create("job", { minMembers: 3 });
    const names = membersOf("member", 3);
    for (const name of names) await space.create(name, member);
    await space.untilBound(names);
    const id = `${space.name}/job`;
    await untilGang(cluster.muster.url, id, ({ phase }) => phase === "Running");

    const [lost = "", ...left] = names;
    await space.delete(lost);
    const sentence = `gang ${id} runs with 2 of 3 members: the others are gone, so create them ` +
      "anew or delete the gang";
    await space.untilEvent(
      "an event on the PodGroup says so",
      ({ kind, pod, reason, message }) =>
        kind === "PodGroup" && pod === "job" && reason === "Unschedulable" && message === sentence,
    );
    const { message } = await untilGang(
      cluster.muster.url,
      id,
      ({ reason }) => reason === "Degraded",
    );
    assertEquals(message, sentence);
    // Nobody else is restarted.
    assertEquals(await space.bound(), left);

    // A name of its own: what deletes a pod for its kubelet may come late, and hit its successor.
    await space.create("replacement", member);
    await space.untilBound([...left, "replacement"]);
    await untilGang(cluster.muster.url, id, ({ reason }) => reason !== "Degraded");
  },
);

scenario("a PodGroup's totalResources must be free before a member is placed", async (context) => {
  const { cluster, space } = context;
  const { api } = cluster.controlPlane;
  await installPodGroups(api, group);
  const podGroups = new PodGroups(api, { apiVersion: `${group}/v1alpha1`, namespace: space.name });
  await space.create("blocker", { gpus: 2 });
  await space.untilBound(["blocker"]);
  await podGroups.create("job", { minMembers: 2, totalResources: { "nvidia.com/gpu": "7" } });
  const names = membersOf("member", 2);
  for (const name of names) await space.create(name, member);
  await space.untilTold(names, "short of nvidia.com/gpu");
  assertEquals(await space.bound(), ["blocker"]);
  await space.delete("blocker");
  await space.untilBound(names);
});
