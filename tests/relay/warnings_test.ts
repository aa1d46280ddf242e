import { assertEquals } from "@std/assert";
import { callApi } from "../../tools/sandbox/api_client.ts";
import { customResource } from "../../tools/sandbox/resources.ts";
import { membersOf } from "../support/gang_pods.ts";
import { relayTest, type RelayWorld } from "../support/relay_world.ts";

const podGroups = customResource({
  group: "incubator.scheduling.k8s.io",
  version: "v1alpha1",
  plural: "podgroups",
  kind: "PodGroup",
});
const options = { nodes: { "node-1": 8 }, resources: [podGroups] };
const path = "/apis/incubator.scheduling.k8s.io/v1alpha1/namespaces/default/podgroups";
const koordinator = "gang.scheduling.koordinator.sh/";

/** Events of Muster's, as `object: reason`, or about one object. */
function told(world: RelayWorld, about?: string): string[] {
  return world.sandbox.server.store.list("events")
    .filter(({ source }) => (source as { component?: string })?.component === "muster-relay")
    .map(({ involvedObject, reason }) => `${(involvedObject as { name: string }).name}: ${reason}`)
    .filter((event) => about === undefined || event.startsWith(`${about}: `));
}

async function untilTold(world: RelayWorld, event: string): Promise<void> {
  await world.until(`there is an event "${event}"`, () => told(world).includes(event));
}

/** Waits until Muster has said what it had to say of all that happened before. */
async function untilAllIsTold(world: RelayWorld): Promise<void> {
  await world.createGang("witness", { size: 1, minAvailable: "none" });
  await untilTold(world, "witness-0: InvalidMinMember");
}

async function createJob(world: RelayWorld, minMembers: number): Promise<string[]> {
  await callApi(`${world.sandbox.url}${path}`, {
    method: "POST",
    body: { metadata: { name: "job" }, spec: { minMembers } },
  });
  const names = membersOf("job", minMembers);
  for (const name of names) await createMember(world, name);
  return names;
}

async function createMember(world: RelayWorld, name: string): Promise<void> {
  await world.sandbox.createPod({
    metadata: { name, annotations: { "scheduling.k8s.io/group-name": "job" } },
    spec: { containers: [{ name: "main", resources: { limits: { "nvidia.com/gpu": 1 } } }] },
  });
}

async function deletePodGroup(world: RelayWorld): Promise<void> {
  await callApi(`${world.sandbox.url}${path}/job`, { method: "DELETE" });
}

relayTest(
  "placed members are told nothing of a PodGroup that goes with their job, one that waits is",
  options,
  async (world) => {
    const names = await createJob(world, 2);
    await world.untilBound(names);
    await deletePodGroup(world);
    await untilAllIsTold(world);
    assertEquals(told(world, "job-0"), []);
    assertEquals((await world.gang("job")).reason, "Satisfied");
    await createMember(world, "job-2");
    await untilTold(world, "job-2: PodGroupNotFound");
    assertEquals((await world.gang("job")).reason, "InvalidGang");
    assertEquals([...told(world, "job-0"), ...told(world, "job-1")], []);
  },
);

relayTest(
  "members that wait and go with their PodGroup are told nothing",
  options,
  async (world) => {
    const names = await createJob(world, 9);
    await world.until(
      "the gang waits for room",
      () => world.policy.made.at(-1)?.answer?.reason === "InsufficientResources",
    );
    await deletePodGroup(world);
    await world.until(
      "the gang waits for its PodGroup",
      () => world.policy.made.at(-1)?.answer?.reason === "InvalidGang",
    );
    await world.delete(...names);
    await untilAllIsTold(world);
    assertEquals(told(world), ["witness-0: InvalidMinMember"]);
  },
);

relayTest(
  "a PodGroup whose members leave one after another is not told to create them anew",
  options,
  async (world) => {
    const [first = "", ...rest] = await createJob(world, 3);
    await world.untilBound([first, ...rest]);
    await world.delete(first);
    await world.until(
      "it runs with too few",
      () => world.policy.made.at(-1)?.answer?.reason === "Degraded",
    );
    await world.delete(...rest);
    await untilAllIsTold(world);
    assertEquals(told(world, "job"), []);
  },
);

relayTest(
  "what is said of a gang's first member, and is not so any more with the next, is no event",
  options,
  async (world) => {
    const create = (pod: string, quorum: string) =>
      world.sandbox.createPod({
        metadata: {
          name: pod,
          annotations: { [`${koordinator}name`]: "tf", [`${koordinator}min-available`]: quorum },
        },
        spec: { containers: [{ name: "main" }] },
      });
    await create("tf-0", "two");
    await world.until(
      "the gang has no usable quorum",
      () => world.policy.made.at(-1)?.answer?.reason === "InvalidGang",
    );
    await create("tf-1", "2");
    await world.untilBound(["tf-0", "tf-1"]);
    await untilAllIsTold(world);
    assertEquals(told(world, "tf-0"), ["tf-0: GangConflict"]);
  },
);

relayTest(
  "a pod with a quorum and no gang is scheduled alone, and told what it lacks; one of another scheduler is not",
  options,
  async (world) => {
    const create = (name: string, schedulerName: string) =>
      world.sandbox.createPod({
        metadata: { name, labels: { "pod-group/min-available": "4" } },
        spec: { schedulerName, containers: [{ name: "main" }] },
      });
    await create("foreign", "elsewhere");
    await create("alone", "default-scheduler");
    await world.untilBound(["alone"]);
    await untilTold(world, "alone: GangNameMissing");
    assertEquals(told(world, "foreign"), []);
    await world.stopRelay();
    await create("late", "default-scheduler");
    await world.startRelay();
    await untilTold(world, "late: GangNameMissing");
  },
);

relayTest(
  "what the API server does not take at first is said when it does",
  options,
  async (world) => {
    let refusals = 0;
    world.sandbox.server.intercept = ({ method, url }) => {
      if (method !== "POST" || !url.endsWith("/events") || refusals === 2) return undefined;
      refusals++;
      return Response.json({ message: "etcd is on its knees" }, { status: 500 });
    };
    await world.createGang("job", { size: 1, minAvailable: "five" });
    await untilTold(world, "job-0: InvalidMinMember");
    assertEquals(refusals, 2);
  },
);
