import { assertEquals, assertLessOrEqual } from "@std/assert";
import { figuresOf } from "../../../cli/replay_trace/figures.ts";
import { Planning } from "../../../cli/replay_trace/planning.ts";
import { replayJobs } from "../../../cli/replay_trace/replay_jobs.ts";
import { runTimesBy } from "../../../cli/replay_trace/run_times.ts";
import { type Job, readJobs } from "../../../cli/replay_trace/trace_files.ts";
import { backfillOf } from "../../../shared/core/gang/backfill.ts";
import { meanWaitIn } from "../../support/pool_model.ts";

/** The folder of the real traces, whose replay takes minutes; absent: they are not replayed. */
const traces = Deno.env.get("MUSTER_TRACES");
const dayMs = 86_400_000;

/** What a rule makes of the jobs on equal nodes of eight, beside the model. */
function meanWaits(jobs: Job[], { gpus, rule }: { gpus: number; rule: "none" | "easy" }) {
  const nodes = Array.from({ length: gpus / 8 }, (_, at) => ({ name: `node-${at}`, gpus: 8 }));
  const placer = new Planning(nodes, {
    backfill: backfillOf(rule)!,
    settings: { matchPolicy: "once-satisfied" },
    runTimes: runTimesBy("true")!,
  });
  const figures = figuresOf(replayJobs(jobs, { nodes, placer }), nodes);
  assertEquals([figures.stuck, figures.started], [0, jobs.length]);
  assertEquals(figures.promises.kept, figures.promises.made);
  return {
    replayed: figures.wait.mean / 86_400,
    model: meanWaitIn(gpus, { jobs, isEasy: rule === "easy" }) / dayMs,
  };
}

/** Jobs like those of the traces, always the same: sizes of powers of two, lengths over three orders of magnitude. */
function someJobs(count: number): Job[] {
  let seed = 7;
  const random = () => (seed = (seed * 48271) % 2147483647) / 2147483647;
  let submittedAt = 0;
  return Array.from({ length: count }, (_, index) => {
    submittedAt += Math.round(2 * 3_600_000 * random());
    return {
      name: `job-${index}`,
      namespace: "trace",
      members: 2 ** Math.floor(6 * random()),
      gpus: 1,
      priority: 0,
      submittedAt,
      duration: Math.round(60_000 * 10 ** (3 * random())),
    };
  });
}

for (const rule of ["none", "easy"] as const) {
  Deno.test(`replay-trace: ${rule} on equal nodes waits as long as the model of one pool`, () => {
    const { replayed, model } = meanWaits(someJobs(250), { gpus: 40, rule });
    assertLessOrEqual(Math.abs(replayed - model), 0.05 * model);
  });
}

const real = [
  { file: "gangs_1.csv", gpus: 144, none: 22.4, easy: 15.6 },
  { file: "gangs_1.csv", gpus: 160, none: 15.6, easy: 10 },
  { file: "gangs_2.csv", gpus: 400, none: 5.6, easy: 3.4 },
];

for (const { file, gpus, ...days } of real) {
  for (const rule of ["none", "easy"] as const) {
    Deno.test({
      name: `replay-trace: ${rule}, ${file} on ${gpus} GPUs waits ${days[rule]} days, as the model`,
      ignore: traces === undefined,
      fn: () => {
        const path = `${traces}/${file}`;
        const jobs = readJobs({ path, text: Deno.readTextFileSync(path) })
          .map((job) => ({ ...job, priority: 0 }));
        const { replayed, model } = meanWaits(jobs, { gpus, rule });
        assertLessOrEqual(Math.abs(model - days[rule]), 0.06);
        assertLessOrEqual(Math.abs(replayed - model), 0.05 * model);
      },
    });
  }
}
