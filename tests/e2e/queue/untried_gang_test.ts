import { assertEquals } from "@std/assert";
import { onCluster } from "../support/on_cluster.ts";
import { isBound } from "../support/pods.ts";
import { membersOf } from "../support/space.ts";

const scenario = onCluster(() => ({ nodes: { "node-1": 4, "node-2": 4 } }));

/** A claim that nobody has made: the scheduler does not try such a pod, and says nothing of it. */
const withClaim = {
  resourceClaims: [{ name: "device", resourceClaimName: "absent" }],
  containers: [{
    name: "main",
    image: "none",
    resources: { limits: { "nvidia.com/gpu": "2" }, claims: [{ name: "device" }] },
  }],
};

scenario(
  "a gang whose ResourceClaim is not there keeps no room from others, and nobody leaves for it",
  async ({ space }) => {
    await space.createGang("untried", {
      size: 4,
      spec: { priorityClassName: "high", ...withClaim },
    });
    const others = membersOf("other", 4);
    await space.createGang("other", { size: 4, gpus: 2, spec: { priorityClassName: "low" } });
    await space.untilBound(others);
    await space.createGang("later", {
      size: 4,
      spec: { priorityClassName: "high", ...withClaim },
    });
    await space.keepsBound(others, 12_000);
    const pods = await space.pods();
    assertEquals(pods.filter(isBound).length, 4);
  },
);
