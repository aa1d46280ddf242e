import { assertEquals } from "@std/assert";
import { onCluster } from "../support/on_cluster.ts";
import { isBound } from "../support/pods.ts";
import { membersOf } from "../support/space.ts";

const scenario = onCluster(() => ({ nodes: { "node-1": 4, "node-2": 4 } }));

/** A volume that nobody has made: the scheduler's own plugins take such a pod on no node. */
const withVolume = {
  volumes: [{ name: "data", persistentVolumeClaim: { claimName: "absent" } }],
};

scenario(
  "a gang that the scheduler takes on no node keeps no room from others, and nobody leaves for it",
  async ({ space }) => {
    await space.createGang("stuck", {
      size: 4,
      gpus: 2,
      spec: { priorityClassName: "high", ...withVolume },
    });
    const stuck = membersOf("stuck", 4);
    await space.untilTold(stuck, "persistentvolumeclaim");
    const others = membersOf("other", 4);
    await space.createGang("other", { size: 4, gpus: 2, spec: { priorityClassName: "low" } });
    await space.untilBound(others);
    await space.keepsBound(others, 12_000);
    const pods = await space.pods();
    assertEquals(pods.filter(isBound).length, 4);
  },
);
