import { assert, assertEquals } from "@std/assert";
import { compositePodGroupArgs } from "../../../tools/control_plane/native_pod_groups.ts";
import { isGated, untilGates, untilSwitched } from "../support/gates.ts";
import { addNode, onCluster } from "../support/on_cluster.ts";
import { membersOf } from "../support/space.ts";
import { workload } from "../support/workloads.ts";

const scenario = onCluster(() => ({
  nodes: { "node-1": 4 },
  admission: true,
  extraApiServerArgs: compositePodGroupArgs,
}));

scenario(
  "members behind the gate say that their CompositePodGroup starts without them, and start when there is room",
  async ({ cluster: { controlPlane }, space }) => {
    const { api } = controlPlane;
    const { composite, podGroup, members } = workload({ space, api });
    await space.createGang("first", { size: 4, gpus: 1 });
    await space.untilBound(membersOf("first", 4));
    await space.createGang("queued", { size: 5, gpus: 1 });
    await untilSwitched(api, "on");
    await untilGates(space, true);
    await composite("train", { needs: 1 });
    await podGroup("servers", "train");
    await podGroup("workers", "train", 3);
    const servers = await members("servers");
    const workers = await members("workers", { count: 3 });
    assert((await space.pods()).filter(isGated).length >= 5, "created behind the gate");
    await space.delete(...membersOf("first", 4), ...membersOf("queued", 5));
    await space.untilBound(servers);
    await space.untilTold(
      workers,
      `gang ${space.name}/workers needs room for 3 more members and finds it for 2: ` +
        'short of nvidia.com/gpu; CompositePodGroup "train" starts with 1 of its 2 groups',
    );
    const gated = (await space.pods()).filter(isGated).map(({ metadata }) => metadata.name);
    assertEquals(gated.toSorted(), workers);
    await addNode(controlPlane, { name: "node-2", gpus: 4 });
    await space.untilBound(workers);
  },
);
