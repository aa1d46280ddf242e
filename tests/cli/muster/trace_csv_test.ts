import { assertEquals, assertObjectMatch } from "@std/assert";
import { jobsFile, nodesFile, type Past } from "../../../cli/muster/trace_csv.ts";
import { Planning } from "../../../cli/replay_trace/planning.ts";
import { replayJobs } from "../../../cli/replay_trace/replay_jobs.ts";
import { runTimesBy } from "../../../cli/replay_trace/run_times.ts";
import { type Job, readJobs, readNodes } from "../../../cli/replay_trace/trace_files.ts";
import { backfillOf } from "../../../shared/core/gang/backfill.ts";
import type { GangSummary } from "../../../shared/contract/types.ts";
import { at, now } from "../../support/facts.ts";

const resource = "nvidia.com/gpu";
const run = {
  namespace: "team-a",
  name: "llm-1",
  createdAt: at(-9000),
  startedAt: at(-7200),
  endedAt: at(-3600),
  members: 2,
  priority: 5,
  requests: { [resource]: 16 },
};
const gang: GangSummary & { createdAt: string } = {
  namespace: "team-a",
  name: "llm-2",
  group: "team-a/llm-2",
  phase: "Running",
  minMember: 1,
  members: {
    pending: 0,
    gated: 0,
    bound: 1,
    running: 1,
    succeeded: 0,
    failed: 0,
    terminating: 0,
    held: 0,
  },
  reason: "Satisfied",
  message: "",
  createdAt: at(-600),
  startedAt: at(-300),
  requests: { [resource]: 4 },
  updatedAt: at(0),
};
const declared = { seconds: 900, source: "declared" } as const;

function past(gangs: Past["gangs"]): Past {
  return { runs: [run], gangs, resource, now };
}

Deno.test("export: what ran is read as a job of the same size, time and length", () => {
  const { csv, jobs } = jobsFile(past([]));
  const [job, ...others] = readJobs({ path: "gangs.csv", text: csv }, { gpusEach: 8 });
  assertEquals([jobs, others], [1, []]);
  assertObjectMatch({ ...job }, {
    namespace: "team-a",
    members: 2,
    gpus: 8,
    priority: 5,
    submittedAt: 0,
    duration: 3_600_000,
  });
});

const lengths: [about: string, gang: Partial<Past["gangs"][number]>, seconds?: number][] = [
  ["one that runs is taken to end when that is expected", { runTime: declared }, 900],
  ["or now, where it is not known or over", { runTime: { ...declared, seconds: 9 } }, 300],
  ["where nobody knows, too", {}, 300],
  [
    "one that waits runs as long as is expected",
    { phase: "Pending", startedAt: undefined, runTime: declared },
    900,
  ],
  ["of one that waits nobody may know", { phase: "Pending", startedAt: undefined }],
  ["one that has ended is among the runs", { phase: "Finished", endedAt: at(-1) }],
];

for (const [about, more, seconds] of lengths) {
  Deno.test(`export: ${about}`, () => {
    const { csv } = jobsFile(past([{ ...gang, ...more }]));
    const [, job] = readJobs({ path: "gangs.csv", text: csv }, { gpusEach: 4 });
    assertEquals(job?.duration, seconds && seconds * 1000);
    assertEquals(job?.submittedAt, seconds && 8_400_000);
  });
}

Deno.test("export: what is left out is counted", () => {
  const waiting = { ...gang, phase: "Pending", startedAt: undefined } as const;
  const { jobs, without, unknown } = jobsFile(past([{ ...gang, requests: {} }, waiting]));
  assertEquals([jobs, without, unknown], [1, 1, 1]);
});

Deno.test("export: nodes are read with what they have of the resource", () => {
  const labels = { "nvidia.com/gpu.product": "A100" };
  const allocatable = { cpu: "64", memory: "256Gi", [resource]: "8" };
  const nodes = ["n1", "n2"].map((name) => ({
    metadata: { name, uid: name, labels },
    status: { allocatable },
  }));
  const csv = nodesFile(nodes, resource);
  assertEquals(csv.split("\n")[1], "n1,64000,262144,8,A100");
  assertEquals(
    readNodes({ path: "nodes.csv", text: csv }).map(({ name, gpus }) => [name, gpus]),
    [["n1", 8], ["n2", 8]],
  );
});

for (
  const [resource, { asked, has }, expected] of [
    ["cpu", { asked: 1500, has: "3920m" }, { asked: 2, has: 3 }],
    ["memory", { asked: 2.5 * 2 ** 30, has: "64700Mi" }, { asked: 3, has: 63 }],
    ["ephemeral-storage", { asked: 1, has: "1Ti" }, { asked: 1, has: 1024 }],
    ["hugepages-2Mi", { asked: 2 ** 30, has: "4Gi" }, { asked: 1, has: 4 }],
    ["example.com/nic", { asked: 3, has: "8" }, { asked: 3, has: 8 }],
  ] as const
) {
  Deno.test(`export: of ${resource}, jobs ask for no less and nodes have no more than they do, in whole numbers`, () => {
    const requests = { [resource]: asked };
    const { csv } = jobsFile({ runs: [{ ...run, requests }], gangs: [], resource, now });
    const [job] = readJobs({ path: "gangs.csv", text: csv }, { gpusEach: 2 ** 20 });
    const allocatable = { [resource]: has };
    const node = { metadata: { name: "n", uid: "n" }, status: { allocatable } };
    const text = nodesFile([node], resource);
    const [{ gpus } = { gpus: 0 }] = readNodes({ path: "nodes.csv", text });
    assertEquals({ asked: job?.gpus, has: gpus }, expected);
  });
}

Deno.test("export: what is written is replayed, on as many nodes and with more", () => {
  const waiting = { ...gang, phase: "Pending", startedAt: undefined, runTime: declared } as const;
  const text = {
    jobs: jobsFile(past([{ ...waiting, requests: { [resource]: 16 } }])).csv,
    nodes: nodesFile(
      [{ metadata: { name: "n", uid: "n" }, status: { allocatable: { [resource]: "16" } } }],
      resource,
    ),
  };
  const jobs = readJobs({ path: "gangs.csv", text: text.jobs });
  const startsOn = (count: number, jobs: readonly Job[]) => {
    const [node] = readNodes({ path: "nodes.csv", text: text.nodes });
    const nodes = Array.from({ length: count }, (_, at) => ({ ...node!, name: `n${at}` }));
    const placer = new Planning(nodes, {
      backfill: backfillOf("easy")!,
      settings: { matchPolicy: "once-satisfied" },
      runTimes: runTimesBy("true")!,
    });
    return replayJobs(jobs, { nodes, placer }).ran.map(({ startedAt }) => startedAt / 1000);
  };
  // The second came 8400 s after the first, which ran for an hour.
  assertEquals(startsOn(1, jobs), [0, 8400]);
  const atOnce = jobs.map((job) => ({ ...job, submittedAt: 0 }));
  assertEquals([startsOn(1, atOnce), startsOn(2, atOnce)], [[0, 3600], [0, 0]]);
});
