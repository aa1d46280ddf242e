import { assert, assertEquals } from "@std/assert";
import { FakeTime } from "@std/testing/time";
import { PodGroupStatuses } from "../../relay/report/pod_group_statuses.ts";
import { KubeApi } from "../../shared/client/kube_api.ts";
import { Cluster } from "../../shared/cluster/cluster.ts";
import { compositePodGroups } from "../../shared/kubernetes/declaring/composite_pod_group.ts";
import { nativePodGroup } from "../../shared/kubernetes/declaring/pod_group.ts";
import { callApi } from "../../tools/sandbox/api_client.ts";
import type { Condition, KubeObject } from "../../tools/sandbox/objects.ts";
import { customResource } from "../../tools/sandbox/resources.ts";
import { groupOf, type Node } from "../support/composites.ts";
import { membersOf } from "../support/gang_pods.ts";
import { connection } from "../property/histories/model_api.ts";
import { podOf } from "../support/objects.ts";
import { relayTest, type RelayWorld } from "../support/relay_world.ts";

const served = { group: "scheduling.k8s.io", version: "v1alpha3" };
const podGroups = customResource({ ...served, plural: "podgroups", kind: "PodGroup" });
const composites = customResource({
  ...served,
  plural: "compositepodgroups",
  kind: "CompositePodGroup",
});
const options = { nodes: { "node-1": 4 }, resources: [podGroups, composites] };

/** A PodGroup with its members, which ask for a GPU each, or a CompositePodGroup. */
async function create(
  world: RelayWorld,
  name: string,
  { size = 0, ...node }: Node & { size?: number },
): Promise<string[]> {
  const { plural } = node.needs === undefined ? podGroups : composites;
  const { spec } = groupOf(name, node);
  const policy = node.needs === undefined && {
    schedulingPolicy: { gang: { minCount: size } },
  };
  await callApi(
    `${world.sandbox.url}/apis/${served.group}/${served.version}/namespaces/default/${plural}`,
    { method: "POST", body: { metadata: { name }, spec: { ...spec, ...policy } } },
  );
  const members = membersOf(name, size);
  for (const member of members) {
    await world.create(member, { gpus: 1, spec: { schedulingGroup: { podGroupName: name } } });
  }
  return members;
}

function conditionOf(world: RelayWorld, name: string): Condition | undefined {
  const composite = world.sandbox.server.store.get(composites.storage, `default/${name}`);
  const { conditions = [] } = (composite as KubeObject).status as { conditions?: Condition[] } ??
    {};
  return conditions.find(({ type }) => type === "CompositePodGroupInitiallyScheduled");
}

async function untilSaid(
  world: RelayWorld,
  name: string,
  expect: Pick<Condition, "status" | "reason"> & { says?: string },
): Promise<void> {
  const { status, reason, says = "" } = expect;
  await world.until(`${name} is ${status}, ${reason}, ${says}`, () => {
    const condition = conditionOf(world, name);
    return condition?.status === status && condition.reason === reason &&
      condition.message?.includes(says) === true;
  });
}

relayTest(
  "the status of CompositePodGroups says why they wait, and for good that they were scheduled",
  options,
  async (world) => {
    await create(world, "train", { needs: 2 });
    await create(world, "workers", { needs: 1, parent: "train" });
    await create(world, "servers", { parent: "train", size: 3 });
    const pool = await create(world, "pool", { parent: "workers", size: 3 });
    const says = "needs room for 6 more members and finds it for 4";
    await untilSaid(world, "train", { status: "False", reason: "Unschedulable", says });
    await untilSaid(world, "workers", { status: "False", reason: "Unschedulable", says });
    await world.sandbox.addNode({ name: "node-2", gpus: 2 });
    await untilSaid(world, "train", { status: "True", reason: "Scheduled" });
    await untilSaid(world, "workers", { status: "True", reason: "Scheduled" });
    assertEquals(world.bound().length, 6);
    const before = conditionOf(world, "workers");
    await world.delete(...pool);
    const late = await create(world, "late", { size: 1 });
    await world.untilBound(late);
    assertEquals(conditionOf(world, "workers"), before);
    const writes = world.relay.written.filter((write) => write.includes(composites.plural));
    assert(writes.every((write) => write.endsWith("/status")), writes.join());
  },
);

relayTest(
  "the status of CompositePodGroups that Kubernetes does not take says that they are invalid",
  options,
  async (world) => {
    const chain = ["a", "b", "c", "d"];
    for (const [index, name] of chain.entries()) {
      const parent = chain[index - 1];
      await create(world, name, { needs: 1, ...(parent && { parent }) });
    }
    await create(world, "gang", { parent: "d", size: 1 });
    for (const name of chain) {
      const says = "part of more than 3 CompositePodGroups";
      await untilSaid(world, name, { status: "False", reason: "Invalid", says });
    }
    assertEquals(world.bound(), []);
  },
);

Deno.test("PodGroupStatuses looks at every CompositePodGroup above a gang of which something changed", async () => {
  using time = new FakeTime("2026-01-01T12:00:00Z");
  const patched: string[] = [];
  const answer = (url: string) => {
    patched.push(url.split("/").slice(-3).join("/"));
    return Promise.resolve(Response.json(root));
  };
  const cluster = new Cluster({
    podChanged: ({ record }) => statuses.gangChanged(record.gang),
    podGroupChanged: () => {},
    roomChanged: () => {},
  }, { schedulerNames: ["muster"] });
  const statuses: PodGroupStatuses = new PodGroupStatuses({
    api: new KubeApi(connection, answer),
    cluster,
    schedulerNames: ["muster"],
    verdictOf: () => undefined,
    failed: (_, error) => {
      throw error;
    },
  });
  const root = groupOf("root", { needs: 1 });
  const inner = groupOf("inner", { needs: 1, parent: "root" });
  const other = groupOf("other", { needs: 1 });
  for (const composite of [root, inner, other]) {
    cluster.compositeChanged(composite);
    statuses.podGroupChanged(compositePodGroups, composite);
  }
  cluster.podGroupChanged(nativePodGroup, groupOf("a", { parent: "inner" }));
  statuses.lead(true);
  await time.tickAsync(60_000);
  assertEquals(patched, []);
  const spec = { schedulingGroup: { podGroupName: "a" }, schedulerName: "muster" };
  cluster.podChanged(podOf({ name: "a-0", phase: "Running", nodeName: "n", ...spec }));
  await time.tickAsync(1000);
  assertEquals(patched.sort(), [
    "compositepodgroups/inner/status",
    "compositepodgroups/root/status",
  ]);
  statuses.stop();
});
