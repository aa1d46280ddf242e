import { onCluster } from "../support/on_cluster.ts";
import type { PodOptions } from "../support/pods.ts";
import { membersOf } from "../support/space.ts";

const scenario = onCluster(() => ({ nodes: { "node-1": 2, "node-2": 2 } }));

/** Before a member without the gate the scheduler may find no node by itself, and says so in its own words. */
const gate = { name: "muster.scheduling/queued" };

/** What docs/sentences.md has that no other test sees on a pod. */
const table: { text: string; gang: Omit<PodOptions, "gang"> & { size: number } }[] = [
  {
    text: "has 0 of 2 members ready: 2 more wait behind scheduling gates of others",
    gang: { size: 2, spec: { schedulingGates: [gate, { name: "example.com/gate" }] } },
  },
  {
    text: "short of nodes that its members may run on, so add such nodes or loosen",
    gang: {
      size: 2,
      gpus: 1,
      spec: { schedulingGates: [gate], nodeSelector: { "example.com/none": "true" } },
    },
  },
  {
    text: "waiting does not help: a member asks for 9 nvidia.com/gpu",
    gang: { size: 2, gpus: 9, spec: { schedulingGates: [gate] } },
  },
];

for (const [index, { text, gang }] of table.entries()) {
  scenario(`a pod says "${text}"`, async ({ space }) => {
    await space.createGang(`gang-${index}`, gang);
    await space.untilTold(membersOf(`gang-${index}`, gang.size), text);
  });
}

scenario('a pod says "if pods of lower priority left"', async ({ space }) => {
  await space.create("low", { gpus: 1, spec: { priorityClassName: "low" } });
  await space.create("same", { gpus: 1, spec: { priorityClassName: "high" } });
  await space.untilBound(["low", "same"]);
  await space.createGang("high", { size: 4, gpus: 1, spec: { priorityClassName: "high" } });
  await space.untilTold(
    membersOf("high", 4),
    "finds it for 2, or 3 if pods of lower priority left: short of nvidia.com/gpu",
  );
});
