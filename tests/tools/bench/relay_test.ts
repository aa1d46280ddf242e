import { assert, assertEquals } from "@std/assert";
import { relayTable, runRelay } from "../../../tools/bench/relay.ts";

Deno.test({
  name: "runRelay() binds every member of a work, and tells what that took",
  // The relay's watches end a moment after it has stopped.
  sanitizeOps: false,
  sanitizeResources: false,
  fn: runSmallWork,
});

async function runSmallWork(): Promise<void> {
  const gangs = ["a", "b", "c"].map((name) => ({ name, size: 4, gpus: 1 }));
  const work = { name: "small", description: "", nodes: 3, gangs };
  const figures = await runRelay({ work, pods: 5 });
  assertEquals(figures.members, 12);
  assert(figures.filterCalls >= 12, "each member is asked about");
  // A binding each, at least.
  assert(figures.writesPerPod >= 1);
  assert(figures.filterMedian <= figures.filterP99);
  assert(relayTable(figures).includes("| members bound                       | 12 "));
}
