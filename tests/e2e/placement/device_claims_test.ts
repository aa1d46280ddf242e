import { assertEquals } from "@std/assert";
import type { ControlPlane } from "../../../tools/control_plane/control_plane.ts";
import { onCluster } from "../support/on_cluster.ts";
import { membersOf, type Space } from "../support/space.ts";

const resources = "/apis/resource.k8s.io/v1";
const apiVersion = "resource.k8s.io/v1";
const driver = "accel.example.com";

/** Nodes with room for any number of members, and one device each, which no plan knows of. */
const racks = { small: ["s1", "s2"], large: ["l1", "l2", "l3", "l4"] };

const scenario = onCluster(() => ({
  nodes: {},
  started: async ({ controlPlane }) => {
    await controlPlane.api.create(`${resources}/deviceclasses`, {
      apiVersion,
      kind: "DeviceClass",
      metadata: { name: "accel" },
      spec: { selectors: [{ cel: { expression: `device.driver == "${driver}"` } }] },
    });
    for (const [rack, nodes] of Object.entries(racks)) {
      for (const name of nodes) await addNode(controlPlane, name, rack);
    }
  },
}));

async function addNode(controlPlane: ControlPlane, name: string, rack: string): Promise<void> {
  await controlPlane.addNode(name, { gpus: 0, cpus: 32, memory: "64Gi", labels: { rack } });
  await controlPlane.api.create(`${resources}/resourceslices`, {
    apiVersion,
    kind: "ResourceSlice",
    metadata: { name },
    spec: {
      driver,
      nodeName: name,
      pool: { name, generation: 1, resourceSliceCount: 1 },
      devices: [{ name: "only" }],
    },
  });
}

/** Members that claim a device each, all in one rack. */
async function createClaiming(space: Space, name: string, size: number): Promise<void> {
  const request = { name: "any", exactly: { deviceClassName: "accel" } };
  await space.createIn(`${resources}/namespaces/{namespace}/resourceclaimtemplates`, {
    apiVersion,
    kind: "ResourceClaimTemplate",
    metadata: { name: "one" },
    spec: { spec: { devices: { requests: [request] } } },
  });
  const spec = {
    resourceClaims: [{ name: "device", resourceClaimTemplateName: "one" }],
    containers: [{ name: "main", image: "none", resources: { claims: [{ name: "device" }] } }],
  };
  const annotations = { "muster.scheduling/required-topology": "rack" };
  await space.createGang(name, { size, spec, annotations });
}

scenario(
  "members that claim the one device of a node each go to one each, in the rack that has as many",
  async ({ space }) => {
    await createClaiming(space, "gang", 4);
    const pods = await space.untilBound(membersOf("gang", 4));
    assertEquals(pods.map((pod) => pod["spec"].nodeName).sort(), racks.large);
  },
);

scenario(
  "where no rack has as many devices a gang holds none of them, and says what refuses it",
  async ({ space }) => {
    await createClaiming(space, "gang", 5);
    const why = "short of nodes that the scheduler takes its members on";
    await space.untilTold(membersOf("gang", 5), why);
  },
);
