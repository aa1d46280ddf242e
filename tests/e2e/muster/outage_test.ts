import { assertEquals } from "@std/assert";
import { Functions } from "../../../tools/control_plane/functions.ts";
import { untilHeld } from "../support/metrics.ts";
import { onCluster } from "../support/on_cluster.ts";
import { isBound, needsAnchor, whyPending } from "../support/pods.ts";
import { membersOf } from "../support/space.ts";

/** Longer than any retry of the relay or back-off of the scheduler. */
const outageMs = 30_000;

let functions: Functions;
let dir: string;

const scenario = onCluster(async () => {
  dir = await Deno.makeTempDir({ prefix: "muster-functions-" });
  functions = new Functions(dir);
  await functions.start();
  return {
    nodes: { "node-1": 4, "node-2": 4 },
    muster: { extraArgs: [`--functions-url=${functions.url}`] },
    ended: async () => {
      await functions.kill();
      await Deno.remove(dir, { recursive: true });
    },
  };
});

scenario(
  "while functions elsewhere are down gangs wait with that reason and regular pods are bound; then the gang starts",
  async ({ cluster, space }) => {
    const { pid } = cluster.muster.process;
    await space.createGang("before", { size: 2 });
    await space.untilBound(membersOf("before", 2));
    await functions.kill();
    await space.createGang("during", { size: 2, gpus: 1 });
    await space.until(
      "each member says that the functions do not answer",
      (pods) =>
        pods.filter((pod) => whyPending(pod)?.includes(`the policy functions at ${functions.url}`))
          .length === 2,
    );
    await space.create("regular", { gpus: 1 });
    await space.untilBound(["regular"]);
    await space.neverWithin(
      outageMs,
      "a member is bound although nobody allowed it",
      (pods) => pods.some((pod) => isBound(pod) && pod.metadata.name.startsWith("during")),
    );
    await space.create("late", { gpus: 1 });
    await space.untilBound(["late"]);
    assertEquals((await space.pods()).filter(isBound).length, 4);
    await functions.start();
    await space.untilBound(membersOf("during", 2));
    assertEquals(cluster.muster.process.pid, pid);
  },
);

scenario(
  "after the API server crashed, gangs that waited and gangs created later start",
  async ({ cluster, space }) => {
    const gang = { name: "waiting", minAvailable: 2 };
    await space.create("waiting-0", { gpus: 1, gang });
    await space.create("waiting-1", { gpus: 1, gang, spec: needsAnchor });
    await space.until(
      "the scheduler has refused a member",
      (pods) => pods.some((pod) => whyPending(pod) !== undefined),
    );
    const { pid } = cluster.muster.process;
    await cluster.controlPlane.crashApiServer();
    await space.create("anchor", { labels: { app: "anchor" } });
    await space.createGang("later", { size: 3, gpus: 1 });
    await space.untilBound([...membersOf("later", 3), ...membersOf("waiting", 2)]);
    assertEquals(cluster.muster.process.pid, pid);
    await untilHeld(cluster.muster.url, 0);
  },
);
