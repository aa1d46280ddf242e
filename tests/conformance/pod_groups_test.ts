import { assertEquals } from "@std/assert";
import { callApi } from "../../tools/sandbox/api_client.ts";
import type { Pod } from "../../tools/sandbox/objects.ts";
import { customResource } from "../../tools/sandbox/resources.ts";
import { whyPending } from "../support/gang_pods.ts";
import { relayTest, type RelayWorld } from "../support/relay_world.ts";

const podGroups = customResource({
  group: "scheduling.sigs.k8s.io",
  version: "v1alpha1",
  plural: "podgroups",
  kind: "PodGroup",
});
const options = { nodes: { "node-1": 4 }, resources: [podGroups] };

function urlOf(world: RelayWorld, name = ""): string {
  return `${world.sandbox.url}/apis/scheduling.sigs.k8s.io/v1alpha1/namespaces/default/podgroups/${name}`
    .replace(/\/$/, "");
}

async function createPodGroup(world: RelayWorld, minMember: number): Promise<void> {
  await callApi(urlOf(world), {
    method: "POST",
    body: { metadata: { name: "tf" }, spec: { minMember } },
  });
}

async function deletePodGroup(world: RelayWorld): Promise<void> {
  await callApi(urlOf(world, "tf"), { method: "DELETE" });
}

/** Creates members of PodGroup tf. */
async function createMembers(world: RelayWorld, ...names: string[]): Promise<void> {
  for (const name of names) {
    await world.sandbox.createPod({
      metadata: { name, labels: { "pod-group.scheduling.sigs.k8s.io": "tf" } },
      spec: { containers: [{ name: "main", resources: { limits: { "nvidia.com/gpu": 1 } } }] },
    });
  }
}

/** Waits until all of these pods say why they wait. */
async function untilTheySay(world: RelayWorld, sentence: string, ...names: string[]) {
  const says = (pod: Pod) => whyPending(pod)?.includes(sentence) === true;
  await world.until(
    `${names.join(", ")} say "${sentence}"`,
    () => names.every((name) => says(world.pod(name))),
  );
}

/** Whether the functions have been told that the gang is gone, and have forgotten it. */
function isForgotten(world: RelayWorld): boolean {
  return world.policy.made.some(({ stage, answer }) =>
    stage === "unreserve" && answer?.reason === "Gone"
  );
}

relayTest(
  "KO-PE-2 KO-DF-2 SP-PM-2 members wait for their PodGroup with that reason, and start when it comes",
  options,
  async (world) => {
    await createMembers(world, "tf-0", "tf-1");
    await untilTheySay(world, "gang default/tf waits for its PodGroup", "tf-0", "tf-1");
    assertEquals(world.bound(), []);
    await createPodGroup(world, 2);
    await world.untilBound(["tf-0", "tf-1"]);
  },
);

relayTest(
  "SP-PF-9 minResources that all nodes have together are enough, though no node has them alone",
  { ...options, nodes: { "node-1": 4, "node-2": 4 } },
  async (world) => {
    await callApi(urlOf(world), {
      method: "POST",
      body: {
        metadata: { name: "tf" },
        spec: { minMember: 2, minResources: { "nvidia.com/gpu": 6 } },
      },
    });
    await createMembers(world, "tf-0", "tf-1");
    await world.untilBound(["tf-0", "tf-1"]);
  },
);

relayTest("KO-DF-14 BUG-17 a new minMember rules in the next round", options, async (world) => {
  await createPodGroup(world, 3);
  await createMembers(world, "tf-0", "tf-1");
  await untilTheySay(world, "of 3 members", "tf-0", "tf-1");
  await callApi(urlOf(world, "tf"), {
    method: "PATCH",
    contentType: "application/merge-patch+json",
    body: { spec: { minMember: 2 } },
  });
  await world.untilBound(["tf-0", "tf-1"]);
});

relayTest(
  "KO-DF-11 a gang with a PodGroup outlives its last pod, and is gone with its PodGroup",
  options,
  async (world) => {
    await createPodGroup(world, 2);
    await createMembers(world, "tf-0");
    await untilTheySay(world, "1 of 2 members", "tf-0");
    await world.delete("tf-0");
    await world.until(
      "the functions know that no member is left",
      () => world.policy.made.at(-1)?.answer?.message?.includes("0 of 2 members") === true,
    );
    assertEquals(isForgotten(world), false);
    assertEquals((await world.gang("tf")).minMember, 2);
    await deletePodGroup(world);
    await world.until("the gang is forgotten", () => isForgotten(world));
  },
);

relayTest("KO-DF-10 a gang of labels is gone with its last pod", options, async (world) => {
  await world.create("tf-0", { gang: { name: "tf", minAvailable: 2 } });
  await untilTheySay(world, "1 of 2 members", "tf-0");
  await world.delete("tf-0");
  await world.until("the gang is forgotten", () => isForgotten(world));
});

relayTest(
  "BUG-2 members bound for an earlier PodGroup of the same name do not help a new one to quorum",
  options,
  async (world) => {
    const { store } = world.sandbox.server;
    await createPodGroup(world, 2);
    await createMembers(world, "old-0", "old-1");
    await world.untilBound(["old-0", "old-1"]);
    await deletePodGroup(world);
    store.put(podGroups.storage, {
      apiVersion: "scheduling.sigs.k8s.io/v1alpha1",
      kind: "PodGroup",
      metadata: {
        namespace: "default",
        name: "tf",
        uid: crypto.randomUUID(),
        resourceVersion: "",
        // Kubernetes tells times in whole seconds.
        creationTimestamp: new Date(Date.now() + 60_000).toISOString(),
      },
      spec: { minMember: 2 },
    });
    await createMembers(world, "new-0");
    await untilTheySay(world, "of 2 members", "new-0");
    assertEquals(world.bound(), ["old-0", "old-1"]);
    await createMembers(world, "new-1");
    await world.untilBound(["new-0", "new-1"]);
  },
);
