import { assertEquals } from "@std/assert";
import { resourceAmounts } from "../../shared/cluster/resource_amounts.ts";
import { callApi } from "../../tools/sandbox/api_client.ts";
import type { Resource } from "../../tools/sandbox/resources.ts";
import { membersOf } from "../support/gang_pods.ts";
import { container } from "../support/objects.ts";
import { clusterOf, createGang, gpu, groupOf, on, planIn } from "../support/planned_gangs.ts";
import { relayTest } from "../support/relay_world.ts";

const accel = "example.com/accel";
const deviceClass = {
  metadata: { name: "accel.example.com", uid: "class" },
  spec: { extendedResourceName: accel },
};

/** A gang of two members that ask for one device each. */
function askFor(cluster: ReturnType<typeof clusterOf>, resource: string) {
  const containers = [container({ [resource]: "1" })];
  return groupOf({ name: "g", size: 2, gpus: 0, spec: { containers } }, cluster);
}

Deno.test("planner: what a DeviceClass serves is not counted, but what nobody serves is", () => {
  for (
    const [resource, fits] of [
      [accel, 2],
      ["deviceclass.resource.kubernetes.io/accel.example.com", 2],
      ["example.com/accell", 0],
    ] as const
  ) {
    const cluster = clusterOf({ nodes: { a: 4, b: 4 }, pods: [] });
    const group = askFor(cluster, resource);
    const fitNow = () => planIn([group], { cluster }).byGroup.get(group.id)!.fit;
    const impossible = { scope: "member", resource, asks: 1, largest: 0 } as const;
    const none = { members: 0, of: 2, shortOf: resource, impossible };
    assertEquals(fitNow(), none);
    cluster.room.deviceClassChanged(deviceClass);
    assertEquals(fitNow(), fits === 2 ? { members: 2, of: 2 } : none);
    cluster.room.deviceClassDeleted(deviceClass);
    assertEquals(fitNow(), none);
  }
});

Deno.test("planner: where a node lists a resource itself it is counted there, and not on others", () => {
  const cluster = clusterOf({ nodes: { a: 1, b: 0 }, pods: [on("a", 1)] });
  const group = groupOf({ name: "g", size: 1, gpus: 1 }, cluster);
  const nodesNow = () =>
    planIn([group], { cluster }).byGroup.get(group.id)!.taken?.map(({ node }) => node) ?? [];
  assertEquals(nodesNow(), []);
  cluster.room.deviceClassChanged({ ...deviceClass, spec: { extendedResourceName: gpu } });
  assertEquals(nodesNow(), ["b"]);
  assertEquals(cluster.room.free.get("a")?.get(gpu), 0);
  const { allocatable, bound } = resourceAmounts(cluster.room, [])[0]!;
  assertEquals([allocatable, bound], [1, 1]);
});

Deno.test("planner: a gang that asks for devices too waits for what is counted, and reserves it", () => {
  const cluster = clusterOf({ nodes: { a: 4 }, pods: [on("a", 3)] });
  cluster.room.deviceClassChanged(deviceClass);
  const containers = [container({ [accel]: "1", [gpu]: "1" })];
  const first = groupOf(
    { name: "first", size: 2, gpus: 0, shortForMs: 9e9, spec: { containers } },
    cluster,
  );
  createGang({ name: "next", size: 1, gpus: 1 }, cluster);
  const next = groupOf({ name: "next", size: 1, gpus: 1 }, cluster);
  const plans = planIn([first, next], { cluster }).byGroup;
  assertEquals(plans.get(first.id)!.fit, { members: 1, of: 2, shortOf: gpu });
  assertEquals(plans.get(next.id)!.ahead?.gang, "default/first");
});

const served: Resource = {
  group: "resource.k8s.io",
  version: "v1",
  plural: "deviceclasses",
  kind: "DeviceClass",
  namespaced: false,
  storage: "deviceclasses",
  subresources: [],
};

relayTest(
  "a gang that asks for devices is let in once a DeviceClass serves them",
  { nodes: { "node-1": 4 }, resources: [served] },
  async (world) => {
    const spec = { containers: [{ name: "main", resources: { limits: { [accel]: "1" } } }] };
    await world.createGang("g", { size: 2, spec });
    const isTold = (text: string) => () =>
      world.policy.made.at(-1)?.answer?.message?.includes(text) === true;
    await world.until(
      "no node has what it asks for",
      isTold(
        `a member asks for 1 ${accel}, and the largest node that it may run on has 0 ${accel}`,
      ),
    );
    const path = `${world.sandbox.url}/apis/resource.k8s.io/v1/deviceclasses`;
    await callApi(path, { method: "POST", body: deviceClass });
    await world.until("it may be scheduled", isTold("gang default/g may be scheduled"));
    await world.delete(...membersOf("g", 2));
  },
);
