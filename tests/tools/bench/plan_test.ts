import { assert, assertEquals } from "@std/assert";
import { planTable, runPlan } from "../../../tools/bench/plan.ts";

Deno.test("bench plan: every kind of gang is timed, and stands in the table", () => {
  const rows = runPlan({ nodes: 300, members: 16, repetitions: 1 });
  for (const { first, again, afterChange } of rows) {
    for (const { min } of [first, again, afterChange]) assert(min >= 0);
  }
  assertEquals(planTable(rows).split("\n").length, rows.length + 2);
});
