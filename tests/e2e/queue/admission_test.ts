import { assertEquals } from "@std/assert";
import type { KubernetesObject } from "../../../tools/control_plane/api_client.ts";
import { isGated, untilGates, untilSwitched } from "../support/gates.ts";
import { metricOf, untilMetric } from "../support/metrics.ts";
import { onCluster } from "../support/on_cluster.ts";
import { membersOf } from "../support/space.ts";

const scenario = onCluster(() => ({ nodes: { "node-1": 4 }, admission: true }));
const gatesRemoved = "muster_relay_gates_removed_total";

/** As a user's manifest that does not know of Muster. */
const namesNone = { schedulerName: "default-scheduler" };

function schedulerOf(pod: KubernetesObject): string {
  return pod["spec"].schedulerName;
}

scenario(
  "gang pods choose Muster's scheduler by themselves, and have no gate while no gang queues",
  async ({ cluster, space }) => {
    const members = await space.createGang("free", { size: 2, gpus: 1, spec: namesNone });
    assertEquals(members.map(schedulerOf), ["muster", "muster"]);
    assertEquals(members.filter(isGated), []);
    await space.untilBound(membersOf("free", 2));
    assertEquals(await metricOf(cluster.muster.url, gatesRemoved), 0);
    const regular = await space.create("regular", { gpus: 1, spec: namesNone });
    assertEquals(schedulerOf(regular), "default-scheduler");
    await space.untilBound(["regular"]);
  },
);

scenario(
  "while a gang queues new members are gated, until none queues any more",
  async ({ cluster, space }) => {
    const { api } = cluster.controlPlane;
    await space.createGang("first", { size: 4, gpus: 1 });
    await space.untilBound(membersOf("first", 4));
    await space.createGang("second", { size: 2, gpus: 1 });
    await untilSwitched(api, "on");
    await untilGates(space, true);
    const third = await space.createGang("third", { size: 2, gpus: 1 });
    assertEquals(third.filter(isGated).length, 2);
    await space.delete(...membersOf("first", 4));
    await space.untilBound([...membersOf("second", 2), ...membersOf("third", 2)]);
    await untilMetric(cluster.muster.url, gatesRemoved, 2);
    await untilSwitched(api, "off");
  },
);
