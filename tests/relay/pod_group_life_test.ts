import { assertEquals } from "@std/assert";
import { Cluster } from "../../shared/cluster/cluster.ts";
import { xPodGroup } from "../../shared/kubernetes/declaring/pod_group.ts";
import { callApi } from "../../tools/sandbox/api_client.ts";
import type { KubeObject } from "../../tools/sandbox/objects.ts";
import { customResource } from "../../tools/sandbox/resources.ts";
import { membersOf } from "../support/gang_pods.ts";
import { relayTest, type RelayWorld } from "../support/relay_world.ts";

const podGroups = customResource({
  group: "scheduling.x-k8s.io",
  version: "v1alpha1",
  plural: "podgroups",
  kind: "PodGroup",
});
const options = { nodes: { "node-1": 4 }, resources: [podGroups] };
const path = "/apis/scheduling.x-k8s.io/v1alpha1/namespaces/default/podgroups";

async function createPodGroup(world: RelayWorld, name: string, minMember: number): Promise<void> {
  await callApi(`${world.sandbox.url}${path}`, {
    method: "POST",
    body: { metadata: { name }, spec: { minMember } },
  });
}

async function createMembers(world: RelayWorld, podGroup: string, size: number): Promise<void> {
  for (const name of membersOf(podGroup, size)) {
    await world.sandbox.createPod({
      metadata: { name, labels: { "scheduling.x-k8s.io/pod-group": podGroup } },
      spec: { containers: [{ name: "main", resources: { limits: { "nvidia.com/gpu": 1 } } }] },
    });
  }
}

async function untilPhase(world: RelayWorld, name: string, phase: string): Promise<void> {
  const { store } = world.sandbox.server;
  const podGroup = () =>
    store.get(podGroups.storage, `default/${name}`) as
      | (KubeObject & { status?: { phase?: string } })
      | undefined;
  await world.until(`PodGroup ${name} is ${phase}`, () => podGroup()?.status?.phase === phase);
}

function statusWrites(world: RelayWorld): string[] {
  return world.relay.written.filter((write) => write.endsWith("/status") && write.includes(path));
}

Deno.test("the status of a PodGroup is no news to its gang, and what it declares is", () => {
  const changed: string[] = [];
  const cluster = new Cluster({
    podChanged: () => {},
    podGroupChanged: (gang) => changed.push(gang),
    roomChanged: () => {},
  });
  const podGroup = {
    apiVersion: "scheduling.x-k8s.io/v1alpha1",
    metadata: { namespace: "default", name: "tf", uid: "1", resourceVersion: "1" },
    spec: { minMember: 2 },
  };
  const versions = [
    podGroup,
    { ...podGroup, status: { phase: "Running" } },
    { ...podGroup, spec: { minMember: 3 } },
    { ...podGroup, metadata: { ...podGroup.metadata, annotations: { a: "b" } } },
    { ...podGroup, metadata: { ...podGroup.metadata, uid: "2" } },
  ];
  const counts = versions.map((version) => {
    cluster.podGroupChanged(xPodGroup, version);
    return changed.length;
  });
  assertEquals(counts, [1, 1, 2, 3, 4]);
});

relayTest(
  "a relay that starts anew takes nothing back and writes nothing again",
  options,
  async (world) => {
    await createPodGroup(world, "tf", 2);
    await createMembers(world, "tf", 2);
    await untilPhase(world, "tf", "Running");
    await world.killRelay();
    await world.startRelay();
    // What is written of a PodGroup that comes later is written after that of the others.
    await createPodGroup(world, "witness", 1);
    await untilPhase(world, "witness", "Pending");
    assertEquals(statusWrites(world), [`PATCH ${path}/witness/status`]);
    await untilPhase(world, "tf", "Running");
  },
);
