import { assert, assertEquals } from "@std/assert";
import { bindingsOf, victimsOf } from "../../../tools/control_plane/audit.ts";
import { auditOf } from "../support/invariants.ts";
import { untilHeld } from "../support/metrics.ts";
import { type Cluster, onCluster, progress } from "../support/on_cluster.ts";
import { isBound, needsAnchor } from "../support/pods.ts";
import { membersOf, type Space } from "../support/space.ts";

// Profile sigs lets nobody go while one member can not be placed, so calls stay held.
const scenario = onCluster(() => ({
  nodes: { "node-1": 4, "node-2": 4 },
  muster: { profile: "sigs" },
}));

const gang = { name: "train", minAvailable: 3 };
const members = membersOf(gang.name, 3);
const [first, second, last] = members as [string, string, string];

/** Creates a gang of three times two GPUs whose last member can not be placed; resolves when the other two are held. */
async function holdTwo(
  { cluster, space }: { cluster: Cluster; space: Space },
  priorityClassName = "low",
): Promise<void> {
  for (const name of [first, second]) {
    await space.create(name, { gpus: 2, gang, spec: { priorityClassName } });
  }
  await space.create(last, { gpus: 2, gang, spec: { priorityClassName, ...needsAnchor } });
  await untilHeld(cluster.muster.url, 2);
}

/** Creates what the last member misses; resolves when the gang is whole. */
async function removeObstacle(space: Space): Promise<void> {
  await space.create("anchor", { labels: { app: "anchor" } });
  await space.untilBound(members);
}

scenario(
  "a member deleted while its siblings are held lets them go",
  async ({ cluster, space }) => {
    await holdTwo({ cluster, space });
    await space.delete(first);
    await untilHeld(cluster.muster.url, 0);
    // All eight GPUs: what was held is free again.
    await space.create("regular-1", { gpus: 4 });
    await space.create("regular-2", { gpus: 4 });
    await space.untilBound(["regular-1", "regular-2"]);
    await space.delete("regular-1", "regular-2");
    await space.create(first, { gpus: 2, gang, spec: { priorityClassName: "low" } });
    await removeObstacle(space);
  },
);

scenario(
  "a scheduler killed while calls are held: nothing is bound, and the gang starts once it can",
  async ({ cluster, space }) => {
    await holdTwo({ cluster, space });
    await cluster.scheduler.kill();
    await untilHeld(cluster.muster.url, 0);
    assertEquals((await space.pods()).filter(isBound), []);
    await cluster.scheduler.start();
    await removeObstacle(space);
  },
);

scenario(
  "Muster killed while calls are held: nothing is bound, and the gang starts once it can",
  async ({ cluster, space }) => {
    await holdTwo({ cluster, space });
    await cluster.muster.kill();
    assertEquals((await space.pods()).filter(isBound), []);
    await cluster.muster.start();
    await removeObstacle(space);
  },
);

scenario(
  "Muster killed while it binds a gang: the rest of it is bound after the restart",
  async ({ cluster, space }) => {
    await space.createGang("large", { size: 200 });
    let killed: Promise<void> | undefined;
    await space.until("the first member is bound", (pods) => {
      if (pods.some(isBound)) killed = cluster.muster.kill();
      return killed !== undefined;
    });
    await killed;
    progress(
      `interruption: killed with ${(await space.pods()).filter(isBound).length} of 200 bound`,
    );
    await cluster.muster.start();
    await space.untilBound(membersOf("large", 200));
  },
);

scenario("the store removed while Muster is down costs no gang", async ({ cluster, space }) => {
  await holdTwo({ cluster, space });
  await cluster.muster.kill();
  await Deno.remove(`${cluster.controlPlane.dir}/store`, { recursive: true });
  await cluster.muster.start();
  await removeObstacle(space);
});

scenario("the store removed while Muster runs costs no gang", async ({ cluster, space }) => {
  await holdTwo({ cluster, space });
  const store = `${cluster.controlPlane.dir}/store`;
  // At once: while files are removed one by one others may come.
  await Deno.rename(store, `${store}-removed`);
  await removeObstacle(space);
  await space.createGang("next", { size: 2 });
  await space.untilBound(membersOf("next", 2));
  // What follows has a store again.
  await cluster.muster.kill("SIGTERM");
  await cluster.muster.start();
});

scenario(
  "a regular pod of high priority gets the room of a held gang, of which no member is deleted",
  async ({ cluster, space }) => {
    await holdTwo({ cluster, space });
    await space.create("urgent-1", { gpus: 4, spec: { priorityClassName: "high" } });
    await space.create("urgent-2", { gpus: 4, spec: { priorityClassName: "high" } });
    await space.untilBound(["urgent-1", "urgent-2"]);
    await space.delete("urgent-1", "urgent-2");
    await removeObstacle(space);
    const events = await auditOf(cluster.controlPlane);
    assertEquals(victimsOf(events), []);
    const bound = bindingsOf(events).map(({ pod }) => pod);
    assert(members.every((name) => bound.includes(`${space.name}/${name}`)));
  },
);
