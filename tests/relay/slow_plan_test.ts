import { assertEquals } from "@std/assert";
import { untilReady } from "../../tools/control_plane/readiness.ts";
import { type Decisions, decisions } from "../../shared/core/attend/decisions.ts";
import { whyPending } from "../support/gang_pods.ts";
import { relayTest } from "../support/relay_world.ts";

/** Since when the gang ahead is kept from being passed, in each plan. */
const told: string[] = [];

/** As any plan takes a few ms where many gangs wait. */
const slow: Decisions = {
  ...decisions,
  plan: (world, now) => {
    const plans = decisions.plan(world, now);
    while (Date.now() < now + 5);
    for (const { ahead } of plans.byGroup.values()) if (ahead) told.push(ahead.since);
    return plans;
  },
};

relayTest(
  "a gang is kept from being passed since it was planned, and all plans after say the same",
  { nodes: { "node-1": 4, "node-2": 4 }, backfill: "0", decisions: slow },
  async (world) => {
    await world.create("regular", { gpus: 4 });
    await world.untilBound(["regular"]);
    await world.killRelay();
    const large = await world.createGang("large", { size: 4, gpus: 2 });
    const small = await world.createGang("small", { size: 2, gpus: 1 });
    await world.startRelay();
    await world.until(
      "the small gang waits behind the large one",
      () => small.every((name) => whyPending(world.pod(name))?.includes("waits behind") ?? false),
    );
    const planned = told.length;
    await world.sandbox.addNode({ name: "node-3", gpus: 1 });
    await untilReady(() => Promise.resolve(told.length > planned), {
      what: "it is planned again",
      signal: new AbortController().signal,
    });
    assertEquals(new Set(told).size, 1);
    await world.delete("regular");
    await world.untilBound(large);
    await world.sandbox.addNode({ name: "node-4", gpus: 1 });
    await world.untilBound(small);
  },
);
