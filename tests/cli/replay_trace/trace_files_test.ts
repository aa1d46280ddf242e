import { assert, assertEquals } from "@std/assert";
import fc from "fast-check";
import { readJobs, readNodes } from "../../../cli/replay_trace/trace_files.ts";
import { runs } from "../../property/runs.ts";

function nodesOf(sizes: readonly number[], gpus?: number): number[] {
  const text = ["gpu", ...sizes].join("\n");
  return readNodes({ path: "nodes.csv", text }, gpus === undefined ? {} : { gpus })
    .map(({ gpus }) => gpus);
}

Deno.test("replay-trace: jobs of one name, as where a trace has retries, are told apart", () => {
  const rows = ["a", "b", "a", "a", "t/1", "t.1", "", "6", "a.2"].map((id) => `${id},1,0,1,x`);
  const text = ["job_id,num_gpu,submit_time,duration,namespace", ...rows, "a,1,0,1,y"].join("\n");
  const names = readJobs({ path: "jobs.csv", text }).map(({ name }) => name);
  assertEquals(names, [
    "job-a",
    "job-b",
    "job-a.2",
    "job-a.3",
    "job-t.1",
    "job-t.1.2",
    "job-6",
    "job-6.2",
    "job-a.2.2",
    "job-a",
  ]);
});

Deno.test("replay-trace: nodes are taken evenly from the whole file, with at most so many GPUs", () => {
  assertEquals(nodesOf([8, 8, 8, 8], 16), [8, 8]);
  assertEquals(nodesOf([1, 1, 1, 1, 8, 8, 8, 8], 18), [1, 1, 8, 8]);
  assertEquals(nodesOf([8, 8, 8, 1, 1, 1], 3), [1, 1, 1]);
  assertEquals(nodesOf([8, 0, 4]), [8, 4]);
});

Deno.test("property: of the nodes of a file no more GPUs are taken than are asked for", () => {
  fc.assert(
    fc.property(
      fc.array(fc.integer({ min: 1, max: 8 }), { minLength: 1 }),
      fc.integer({ min: 1, max: 200 }),
      (sizes, gpus) => {
        const taken = nodesOf(sizes, gpus === 200 ? undefined : gpus);
        const sum = taken.reduce((sum, gpus) => sum + gpus, 0);
        if (gpus < 200) assert(sum <= gpus);
        // As many as there may be, but for what one more would be too much.
        assert(sum > gpus - 2 * 8 || taken.length === sizes.length, `${sum} of ${gpus}`);
      },
    ),
    runs(500),
  );
});
