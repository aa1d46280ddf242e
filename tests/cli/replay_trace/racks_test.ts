import { assertEquals } from "@std/assert";
import { Planning } from "../../../cli/replay_trace/planning.ts";
import { replayJobs } from "../../../cli/replay_trace/replay_jobs.ts";
import { runTimesBy } from "../../../cli/replay_trace/run_times.ts";
import { backfillOf } from "../../../shared/core/gang/backfill.ts";

Deno.test("replay-trace: a job goes to one rack, also where the first node has none", () => {
  const racks = { a: undefined, b: "r1", c: "r2", d: "r1" };
  const nodes = Object.entries(racks).map(([name, rack]) => ({ name, gpus: 1, rack }));
  const placer = new Planning(nodes, {
    backfill: backfillOf("timed")!,
    settings: { matchPolicy: "once-satisfied" },
    runTimes: runTimesBy("true")!,
  });
  const job = { name: "job", namespace: "trace", members: 2, gpus: 1, priority: 0 };
  const { ran } = replayJobs([{ ...job, submittedAt: 0, duration: 1 }], { nodes, placer });
  assertEquals(ran.flatMap(({ nodes }) => nodes.map(({ name }) => name)), ["b", "d"]);
});
