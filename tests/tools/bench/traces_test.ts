import { assert, assertEquals } from "@std/assert";
import { rowsOf, traceTable } from "../../../tools/bench/traces.ts";

const header = "job_id,num_gpu,submit_time,duration,priority";

/** Nodes of so many GPUs, in a file of the same columns as the traces'. */
function nodesOf(...gpus: number[]): string {
  const rows = gpus.map((count, index) => `n${index},64000,262144,${count},G2`);
  return ["sn,cpu_milli,memory_mib,gpu,model", ...rows, ""].join("\n");
}

function replay(jobs: string[], nodes: string) {
  const rows = rowsOf(
    {
      jobs: { path: "jobs.csv", text: [header, ...jobs, ""].join("\n") },
      nodes: { path: "nodes.csv", text: nodes },
    },
    { gpus: Infinity, name: "trace" },
  );
  const of = (scheduler: string) => rows.find((row) => row.scheduler === scheduler)!;
  return { rows, spread: of("pod by pod"), planned: of("the plan") };
}

Deno.test("bench traces: the plan fills a node where pods one by one are spread", () => {
  const { rows, spread, planned } = replay(["0,4,0,1000,0"], nodesOf(8, 8, 8, 8));
  assertEquals([spread.nodesPerGang, planned.nodesPerGang], [4, 1]);
  assertEquals(traceTable(rows).split("\n").length, rows.length + 2);
});

Deno.test("bench traces: gangs in part hold GPUs in vain, whole ones none", () => {
  const jobs = ["0,1,0,50,0", "1,4,10,1000,0", "2,4,20,1000,0"];
  const { spread, planned } = replay(jobs, nodesOf(2, 2));
  assertEquals([spread.started, spread.stuck], [3, 0]);
  assert(spread.held > 0);
  assertEquals([planned.started, planned.held], [3, 0]);
});

Deno.test("bench traces: a job that no cluster of this size holds is left out", () => {
  const { planned } = replay(["0,4,0,1000,0", "1,5,0,1000,0"], nodesOf(2, 2));
  assertEquals([planned.started, planned.tooLarge], [1, 1]);
});
