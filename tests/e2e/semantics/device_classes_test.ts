import { assertEquals } from "@std/assert";
import type { ApiClient } from "../../../tools/control_plane/api_client.ts";
import { onCluster } from "../support/on_cluster.ts";
import { membersOf } from "../support/space.ts";

const scenario = onCluster(() => ({ nodes: { "node-1": 4, "node-2": 4 } }));

const api = "/apis/resource.k8s.io/v1";
const driver = "accel.example.com";

/** Two devices on each node, which pods may ask for as `example.com/accel`, or by the class's own name. */
async function publishDevices(client: ApiClient): Promise<void> {
  await client.create(`${api}/deviceclasses`, {
    apiVersion: "resource.k8s.io/v1",
    kind: "DeviceClass",
    metadata: { name: "accel" },
    spec: {
      selectors: [{ cel: { expression: `device.driver == "${driver}"` } }],
      extendedResourceName: "example.com/accel",
    },
  });
  for (const nodeName of ["node-1", "node-2"]) {
    await client.create(`${api}/resourceslices`, {
      apiVersion: "resource.k8s.io/v1",
      kind: "ResourceSlice",
      metadata: { name: nodeName },
      spec: {
        driver,
        nodeName,
        pool: { name: nodeName, generation: 1, resourceSliceCount: 1 },
        devices: [{ name: "first" }, { name: "second" }],
      },
    });
  }
}

/** Members that ask for a device each. */
function asking(resource: string): { spec: object } {
  const resources = { limits: { [resource]: "1" } };
  return { spec: { containers: [{ name: "main", image: "none", resources }] } };
}

scenario(
  "gangs get devices that a DeviceClass serves, and not those that none does",
  async (context) => {
    const { cluster: { controlPlane }, space } = context;
    const gated = { schedulingGates: [{ name: "muster.scheduling/queued" }] };
    const early = asking("example.com/accel");
    await space.createGang("early", { size: 2, spec: { ...early.spec, ...gated } });
    const early2 = membersOf("early", 2);
    await space.untilTold(early2, "a member asks for 1 example.com/accel");
    await publishDevices(controlPlane.api);
    await space.untilBound(early2);

    const implicit = asking("deviceclass.resource.kubernetes.io/accel");
    await space.createGang("implicit", { size: 2, ...implicit });
    await space.untilBound(membersOf("implicit", 2));

    // All four devices are taken: only the scheduler knows.
    await space.createGang("late", { size: 2, ...early });
    const typo = asking("example.com/accell");
    await space.createGang("typo", { size: 2, spec: { ...typo.spec, ...gated } });
    await space.untilTold(
      membersOf("typo", 2),
      "a member asks for 1 example.com/accell, and the largest node that it may run on has 0",
    );
    assertEquals((await space.bound()).sort(), [...early2, ...membersOf("implicit", 2)].sort());
    await space.delete(...early2);
    await space.untilBound(membersOf("late", 2));
  },
);
