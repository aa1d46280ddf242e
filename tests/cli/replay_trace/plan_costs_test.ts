import { assertEquals } from "@std/assert";
import { PlanCosts } from "../../../cli/replay_trace/plan_costs.ts";

Deno.test("replay-trace: plans are told apart by the length of the queue", () => {
  const costs = new PlanCosts();
  for (const waiting of [1000, 1, 10, 11, 100, 101, 1001]) costs.note(waiting, waiting);
  assertEquals(costs.figures().map(({ waiting, plans }) => [...waiting, plans]), [
    [1, 10, 2],
    [11, 100, 2],
    [101, 1000, 2],
    [1001, 10_000, 1],
  ]);
  assertEquals(costs.figures()[2]!.ms, { mean: 550.5, median: 101, p95: 1000 });
});
