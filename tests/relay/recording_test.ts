import { assert, assertEquals, assertGreater } from "@std/assert";
import { decisions } from "../../shared/core/attend/decisions.ts";
import { Recorder } from "../../shared/core/record/recorder.ts";
import { relayTest } from "../support/relay_world.ts";
import { differencesIn, MemoryTape, replannedIn, replayed } from "../support/tape.ts";

const tape = new MemoryTape();

relayTest(
  "a recording of gangs that wait, start, and are let go is replayed without a difference",
  { nodes: { "node-1": 4, "node-2": 2 }, decisions: new Recorder(decisions, tape) },
  async (world) => {
    const waiting = await world.createGang("waits", { size: 4, gpus: 2 });
    const small = await world.createGang("small", { size: 2, gpus: 1 });
    await world.untilBound(small);
    await world.createHeldGang("held", { size: 2, gpus: 1 });
    await world.replaceLast("held", { size: 2, gpus: 1 });
    await world.untilBound(["held-0", "held-1"]);
    await world.sandbox.addNode({ name: "node-3", gpus: 8 });
    await world.untilBound(waiting);
    await world.delete(...waiting, ...small);

    const all = replayed(tape.lines, decisions);
    assertEquals(tape.missedCount, 0);
    assertGreater(all.length, 50);
    assertEquals(differencesIn(all), []);
    const plans = replannedIn(tape.lines);
    assertGreater(plans.count, 2, "each of the three gangs starts by a plan of its own");
    assertEquals(plans.differences, []);
    const kinds = new Set(all.map(({ event }) => event?.is ?? "filter"));
    for (const kind of ["look", "planned", "answered", "call opened", "bound", "filter"] as const) {
      assert(kinds.has(kind), `nothing of "${kind}" was recorded`);
    }
  },
);
