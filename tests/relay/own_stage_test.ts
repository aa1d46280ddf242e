import { assert, assertEquals } from "@std/assert";
import { membersOf, whyPending } from "../support/gang_pods.ts";
import { relayTest } from "../support/relay_world.ts";

relayTest(
  "while a stage of one's own fails without which gangs wait, they name it, and start when it answers",
  { nodes: { "node-1": 4 }, ownStages: ["prefilter"] },
  async (world) => {
    const sentence =
      "Muster: gang default/gang waits: stage prefilter at http://localhost failed: HTTP 503: out of order";
    world.policy.intercept = () => Promise.resolve(new Response("out of order", { status: 503 }));
    await world.createGang("gang", { size: 2, gpus: 1 });
    await world.until(
      "both members name the stage",
      (pods) => pods.every((pod) => whyPending(pod)?.includes(sentence)),
    );
    const ready = await fetch(`${world.relay.url}/readyz`);
    assertEquals(ready.status, 503);
    assert((await ready.text()).includes("stage prefilter at http://localhost failed"));
    const metrics = await (await fetch(`${world.relay.url}/metrics`)).text();
    assert(metrics.includes('own_stage_failing{stage="prefilter",failure="wait"} 1'), metrics);

    world.policy.intercept = undefined;
    await world.untilBound(membersOf("gang", 2));
    const later = await (await fetch(`${world.relay.url}/metrics`)).text();
    assert(later.includes('own_stage_failing{stage="prefilter",failure="wait"} 0'), later);
  },
);
