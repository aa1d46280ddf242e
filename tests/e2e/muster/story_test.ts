import { assert, assertEquals, assertLessOrEqual } from "@std/assert";
import { startScheduler } from "../../../tools/control_plane/scheduler.ts";
import { bindingsOf } from "../../../tools/control_plane/audit.ts";
import { auditOf } from "../support/invariants.ts";
import { metricOf } from "../support/metrics.ts";
import { addNode, onCluster, progress } from "../support/on_cluster.ts";
import { isBound, type PodOptions, whyPending } from "../support/pods.ts";
import type { Space } from "../support/space.ts";

const scenario = onCluster(() => ({ nodes: { "node-1": 2, "node-2": 2 } }));

const ps = "tf-smoke-gpu-ps-0";
const workers = [0, 1, 2, 3].map((index) => `tf-smoke-gpu-worker-${index}`);
const members = [ps, ...workers];
/** How long the gang has failed before there is room. */
const failingMs = 60_000;

/** One parameter server without a GPU and four workers of two each. */
async function submit(space: Space, gang?: PodOptions["gang"]): Promise<void> {
  await Promise.all(
    members.map((name) => space.create(name, { gpus: name === ps ? 0 : 2, ...(gang && { gang }) })),
  );
}

scenario(
  "a training job on a cluster that is too small is not bound at all, and whole soon after a node came",
  async ({ cluster, space }) => {
    await submit(space, { name: "tf-smoke-gpu", minAvailable: 5 });
    await space.until(
      "each member's condition names the gang",
      (pods) =>
        pods.filter((pod) => whyPending(pod)?.includes(`${space.name}/tf-smoke-gpu`)).length === 5,
    );
    progress(`story: the gang waits for ${failingMs / 1000} s`);
    await space.neverWithin(failingMs, "a member was bound", (pods) => pods.some(isBound));

    const calls = () => metricOf(cluster.muster.url, "muster_relay_extender_calls_total");
    const before = await calls();
    const addedAt = Date.now();
    await addNode(cluster.controlPlane, { name: "node-3", gpus: 4 });
    await space.untilBound(members);
    const bindings = bindingsOf(await auditOf(cluster.controlPlane))
      .filter(({ pod }) => pod.startsWith(`${space.name}/`));
    assertEquals(bindings.map(({ pod }) => pod.split("/")[1]).sort(), members);
    assert((bindings[0]?.at ?? 0) >= addedAt, "a member was bound before the node came");

    const took = ((bindings.at(-1)?.at ?? 0) - addedAt) / 1000;
    const made = await calls() - before;
    progress(`story: bound ${took.toFixed(1)} s after the node came, by ${made} calls`);
    // Each change of the new node wakes who was refused, and its gang once more when it is let in.
    assertLessOrEqual(made, 6 * members.length);
  },
);

scenario("the same job without Muster is bound in part, and hangs", async ({ cluster, space }) => {
  await cluster.controlPlane.api.delete("/api/v1/nodes/node-3");
  await cluster.scheduler.kill("SIGTERM");
  cluster.scheduler = await startScheduler(cluster.controlPlane);
  await submit(space);
  const pods = await space.until(
    "three pods run and two are refused",
    (pods) =>
      pods.filter(isBound).length === 3 &&
      pods.filter((pod) => whyPending(pod)?.includes("Insufficient nvidia.com/gpu")).length === 2,
  );
  assert(isBound(pods.find((pod) => pod.metadata.name === ps)!));
});
