import { onCluster } from "../support/on_cluster.ts";
import { membersOf } from "../support/space.ts";

const resources = "/apis/resource.k8s.io/v1";
const apiVersion = "resource.k8s.io/v1";
const driver = "accel.example.com";

/** One device, which is on one of the nodes. */
const scenario = onCluster(() => ({
  nodes: { "node-1": 4, "node-2": 4 },
  started: async ({ controlPlane: { api } }) => {
    await api.create(`${resources}/deviceclasses`, {
      apiVersion,
      kind: "DeviceClass",
      metadata: { name: "accel" },
      spec: { selectors: [{ cel: { expression: `device.driver == "${driver}"` } }] },
    });
    await api.create(`${resources}/resourceslices`, {
      apiVersion,
      kind: "ResourceSlice",
      metadata: { name: "node-1" },
      spec: {
        driver,
        nodeName: "node-1",
        pool: { name: "node-1", generation: 1, resourceSliceCount: 1 },
        devices: [{ name: "only" }],
      },
    });
  },
}));

scenario("members that share a ResourceClaim start together", async ({ space }) => {
  await space.createIn(`${resources}/namespaces/{namespace}/resourceclaims`, {
    apiVersion,
    kind: "ResourceClaim",
    metadata: { name: "shared" },
    spec: { devices: { requests: [{ name: "any", exactly: { deviceClassName: "accel" } }] } },
  });
  // It is allocated for the first of them, and the others wait for that.
  const spec = {
    resourceClaims: [{ name: "device", resourceClaimName: "shared" }],
    containers: [{ name: "main", image: "none", resources: { claims: [{ name: "device" }] } }],
  };
  await space.createGang("gang", { size: 3, spec });
  await space.untilBound(membersOf("gang", 3));
});
