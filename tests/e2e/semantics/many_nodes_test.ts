import { gangLabels } from "../support/pods.ts";
import { onCluster } from "../support/on_cluster.ts";

/** One more than the scheduler looks for at least. */
const others = Array.from({ length: 101 }, (_, index) => `node-${index}`);

/** Two members of one GPU fit the small node best. */
const scenario = onCluster(() => ({
  nodes: { small: 2, ...Object.fromEntries(others.map((name) => [name, 4])) },
}));

scenario(
  "a pod says that the scheduler did not look at its planned node, and how it would",
  async ({ space }) => {
    const gang = { name: "gang", minAvailable: 2 };
    // That a pod keeps others away is known to the scheduler only.
    const antiAffinity = {
      requiredDuringSchedulingIgnoredDuringExecution: [{
        labelSelector: { matchLabels: gangLabels(gang) },
        topologyKey: "kubernetes.io/hostname",
      }],
    };
    const spec = {
      nodeSelector: { "kubernetes.io/hostname": "small" },
      affinity: { podAntiAffinity: antiAffinity },
    };
    await space.create("loner", { spec });
    await space.untilBound(["loner"]);
    const annotations = { "muster.scheduling/required-topology": "kubernetes.io/hostname" };
    await space.create("gang-0", { gang, annotations, gpus: 1 });
    await space.create("gang-1", { gang, annotations, gpus: 1 });
    await space.untilTold(
      ["gang-0"],
      "is planned on small, which is not among the 100 nodes that the scheduler looked at: " +
        "set its percentageOfNodesToScore to 100",
    );
    await space.delete("loner");
    await space.untilBound(["gang-0", "gang-1"]);
  },
);
