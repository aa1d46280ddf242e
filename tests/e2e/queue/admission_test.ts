import { assertEquals } from "@std/assert";
import type { KubernetesObject } from "../../../tools/control_plane/api_client.ts";
import { untilReady } from "../../../tools/control_plane/readiness.ts";
import { metricOf } from "../support/metrics.ts";
import { onCluster } from "../support/on_cluster.ts";
import { membersOf, type Space } from "../support/space.ts";

const scenario = onCluster(() => ({ nodes: { "node-1": 4 }, admission: true }));
const parameter = "/api/v1/namespaces/muster-system/configmaps/muster-gate";
const gatesRemoved = "muster_relay_gates_removed_total";

/** As a user's manifest that does not know of Muster. */
const namesNone = { schedulerName: "default-scheduler" };

interface PodSpec {
  schedulerName: string;
  schedulingGates?: { name: string }[];
}

function specOf(pod: KubernetesObject): PodSpec {
  return (pod as unknown as { spec: PodSpec }).spec;
}

/** What the members of a gang were born with. */
async function born(space: Space, name: string, size: number): Promise<PodSpec[]> {
  await space.createGang(name, { size, gpus: 1, spec: namesNone });
  return (await space.pods()).filter((pod) => pod.metadata.name.startsWith(`${name}-`)).map(specOf);
}

scenario(
  "gang pods choose Muster's scheduler by themselves, and have no gate while no gang queues",
  async ({ cluster, space }) => {
    const specs = await born(space, "free", 2);
    assertEquals(specs.map(({ schedulerName }) => schedulerName), ["muster", "muster"]);
    await space.untilBound(membersOf("free", 2));
    assertEquals(await metricOf(cluster.muster.url, gatesRemoved), 0);
    await space.create("regular", { gpus: 1, spec: namesNone });
    await space.untilBound(["regular"]);
    const [regular] = (await space.pods()).filter(({ metadata }) => metadata.name === "regular");
    assertEquals(specOf(regular!).schedulerName, "default-scheduler");
  },
);

scenario(
  "while a gang queues new members are gated, until none queues any more",
  async ({ cluster, space }) => {
    const { api } = cluster.controlPlane;
    const says = async (gate: string) => {
      const { data } = await api.get(parameter) as unknown as { data: { gate: string } };
      if (data.gate !== gate) throw new Error(`the ConfigMap says "${data.gate}"`);
      return true;
    };
    const signal = new AbortController().signal;
    await space.createGang("first", { size: 4, gpus: 1 });
    await space.untilBound(membersOf("first", 4));
    await space.createGang("second", { size: 2, gpus: 1 });
    await untilReady(() => says("on"), { what: "the switch", signal });
    await space.createGang("third", { size: 2, gpus: 1 });
    await space.until(
      "the third gang is gated",
      (pods) =>
        pods.filter((pod) =>
          pod.metadata.name.startsWith("third") &&
          specOf(pod).schedulingGates?.[0]?.name === "muster.scheduling/queued"
        ).length === 2,
    );
    await space.delete(...membersOf("first", 4));
    await space.untilBound([...membersOf("second", 2), ...membersOf("third", 2)]);
    assertEquals(await metricOf(cluster.muster.url, gatesRemoved), 2);
    await untilReady(() => says("off"), { what: "the switch", signal });
  },
);
