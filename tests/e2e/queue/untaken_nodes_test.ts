import { assert, assertEquals, assertLessOrEqual } from "@std/assert";
import { untilGang } from "../support/gangs.ts";
import { metricOf } from "../support/metrics.ts";
import { onCluster } from "../support/on_cluster.ts";
import { membersOf } from "../support/space.ts";

const names = Array.from({ length: 8 }, (_, index) => `node-${index}`);
const scenario = onCluster(() => ({
  nodes: Object.fromEntries(names.map((name) => [name, 1])),
}));

/** Beside no pod with this label: no plan knows of that. */
const noise = { app: "noise" };
const shy = {
  affinity: {
    podAntiAffinity: {
      requiredDuringSchedulingIgnoredDuringExecution: [{
        labelSelector: { matchLabels: noise },
        topologyKey: "kubernetes.io/hostname",
      }],
    },
  },
};
/** Longer than a gang is closed after a round, and three times the largest back-off of the scheduler. */
const quietMs = 15_000;

scenario(
  "a gang whose members may go anywhere is tried no third time where the scheduler takes too few, until that changes",
  async ({ cluster: { muster }, space }) => {
    const noisy = names.slice(2).map((node) => `noise-${node}`);
    for (const node of names.slice(2)) {
      const spec = { nodeSelector: { "kubernetes.io/hostname": node } };
      await space.create(`noise-${node}`, { labels: noise, spec });
    }
    await space.untilRunning(noisy);
    const rounds = () => metricOf(muster.url, "muster_relay_round_duration_seconds_count");
    const before = await rounds();
    await space.createGang("shy", { size: 4, gpus: 1, spec: shy });
    const lacks = "short of nodes that the scheduler takes its members on";
    await untilGang(muster.url, `${space.name}/shy`, ({ message }) => message.includes(lacks));
    const tried = await rounds();
    assert(tried > before, "a round has failed");
    assertLessOrEqual(tried - before, 2);
    await space.neverWithin(quietMs, "a member is gone", (pods) => pods.length < 10);
    assertEquals(await rounds(), tried, "it is tried again");
    await space.createGang("bold", { size: 8, gpus: 1 });
    await space.untilBound(membersOf("bold", 8));
    await space.delete(...membersOf("bold", 8));
    await space.delete(...noisy);
    await space.untilBound(membersOf("shy", 4));
  },
);
