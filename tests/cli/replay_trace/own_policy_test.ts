import { assertEquals, assertMatch, assertStringIncludes } from "@std/assert";
import { join } from "node:path";
import { parse } from "valibot";
import { Planning } from "../../../cli/replay_trace/planning.ts";
import { runTimesBy } from "../../../cli/replay_trace/run_times.ts";
import { readJobs } from "../../../cli/replay_trace/trace_files.ts";
import { AdmitRequest, QueueSortRequest } from "../../../shared/contract/cluster_schemas.ts";
import { backfillOf } from "../../../shared/core/gang/backfill.ts";
import { childDeno } from "../../../tools/child_deno.ts";
import { folder } from "../../examples/served.ts";

const root = new URL("../../..", import.meta.url).pathname;

/** Who is due first goes first; gangs of the night start at one o'clock, of never at no time. */
const policy = `export default { async fetch(request: Request) {
  const { units, gangs, at } = await request.json();
  if (request.url.endsWith("/v1/queue-sort")) {
    const keys = units?.map(({ id, gang }) => ({ id, key: gang.attributes?.due ?? "5" }));
    return Response.json({ keys });
  }
  if (!request.url.endsWith("/v1/admit")) return new Response("", { status: 404 });
  const team = gangs?.[0].gang.attributes?.team;
  const isKept = team === "never" || team === "night" && at < "2024-01-01T01:00:00.000Z";
  return Response.json(
    isKept ? { verdict: "wait", askAgainSeconds: 600 } : { verdict: "allow" },
  );
} };`;

interface Replay {
  /** Lines of a file with the columns of {@linkcode header}. */
  readonly jobs: readonly string[];
  readonly policy?: string;
  readonly rules?: string;
  readonly env?: Record<string, string>;
}

const header = "num_gpu,submit_time,duration,namespace,team,due";

/** Replays jobs on a node of four. */
async function replay({ jobs, policy: path, rules = "none", env = {} }: Replay) {
  await using dir = folder();
  const file = (name: string) => join(dir.path, name);
  await Deno.writeTextFile(file("jobs.csv"), [header, ...jobs, ""].join("\n"));
  await Deno.writeTextFile(file("fair.ts"), policy);
  const args = ["jobs.csv", "--nodes", "1x4", "--backfill", rules, "--out", "out"];
  const { code, stdout, stderr } = await childDeno(
    [
      "run",
      "-A",
      "--no-check",
      join(root, "cli/replay_trace.ts"),
      ...args,
      "--policy",
      path ?? "fair.ts",
    ],
    { cwd: dir.path, stdin: "null", env: { NO_COLOR: "1", ...env } },
  ).output();
  const text = (bytes: Uint8Array) => new TextDecoder().decode(bytes);
  const policies = code === 0
    ? JSON.parse(await Deno.readTextFile(file("out/trace.json"))).policies
    : {};
  return { code, out: text(stdout), err: text(stderr), policies };
}

const stages: {
  what: string;
  jobs: string[];
  own: number;
  builtIn: number;
}[] = [
  {
    what: "queue-sort: who is due first passes",
    jobs: ["4,0,60000,,,", "4,1000,60000,,,9", "4,2000,10000,,,1"],
    builtIn: (59 + 118) / 3,
    own: (58 + 69) / 3,
  },
  {
    what: "admit: who is kept starts when the clock says so, though nothing else happens",
    jobs: ["4,0,60000,,night,"],
    builtIn: 0,
    own: 3600,
  },
  {
    what: "admit: who is kept keeps no room from others",
    jobs: ["4,0,60000,,night,", "4,1000,60000,,,"],
    builtIn: 59 / 2,
    // It is asked again when the other ends, and every ten minutes from then on.
    own: (60 + 1 + 3600) / 2,
  },
];

for (const { what, jobs, own, builtIn } of stages) {
  Deno.test(`replay-trace --policy: ${what}`, async () => {
    const { policies, err } = await replay({ jobs, rules: "none,easy" });
    assertEquals(Object.keys(policies), ["none", "none + fair.ts", "easy", "easy + fair.ts"], err);
    for (const rule of ["none", "easy"]) {
      assertEquals(policies[`${rule} + fair.ts`].wait.mean, own);
      assertEquals(policies[rule].wait.mean, builtIn);
    }
  });
}

Deno.test("replay-trace --policy: who is never let in has not started when all is over", async () => {
  const jobs = ["4,0,60000,,never,", "4,1000,60000,,,"];
  const { out, policies } = await replay({ jobs });
  assertEquals(policies["none + fair.ts"].stuck, 1);
  assertMatch(out, /^ +none +none \+ fair\.ts$/m);
  assertMatch(out, /^never started +0 +1$/m);
});

Deno.test("replay-trace --policy: quotas of fair_share.ts know what runs", async () => {
  const { policies, err } = await replay({
    jobs: ["2,0,60000,a,,", "2,0,30000,a,,", "2,0,60000,b,,"],
    policy: join(root, "examples/policies/fair_share.ts"),
    rules: "none,easy",
    env: { QUOTAS: JSON.stringify({ a: { "nvidia.com/gpu": 2 } }) },
  });
  for (const rule of ["none", "easy"]) {
    // The other team has the room that a quota leaves.
    const { bySize, utilisation } = policies[`${rule} + fair_share.ts`] ?? {};
    assertEquals(bySize?.[0].wait, { mean: 20, median: 0, p95: 60 }, err);
    assertEquals(utilisation, 300 / 360);
  }
});

Deno.test("replay-trace --policy: fair_share.ts remembers who had the cluster, by the trace's clock, in each replay anew", async () => {
  const { policies, err } = await replay({
    jobs: ["4,0,3600000,a,,", "4,1000,60000,a,,", "4,2000,30000,b,,"],
    policy: join(root, "examples/policies/fair_share.ts"),
    rules: "none,easy",
  });
  const waits = { builtIn: (3599 + 3658) / 3, own: (3598 + 3629) / 3 };
  assertEquals(policies.none?.wait.mean, waits.builtIn, err);
  for (const rule of ["none", "easy"]) {
    assertEquals(policies[`${rule} + fair_share.ts`].wait.mean, waits.own);
  }
});

Deno.test("replay-trace --policy: what is asked follows the contract", () => {
  const text = [`job_id,${header}`, "a/b/0,2,0,60000,a,night,", "1,2,0,60000,,,", ""].join("\n");
  const [first, second] = readJobs({ path: "jobs.csv", text });
  const planning = new Planning([{ name: "n", gpus: 4 }], {
    backfill: backfillOf("easy")!,
    settings: { matchPolicy: "once-satisfied" },
    runTimes: runTimesBy("true")!,
  });
  for (const job of [first!, second!]) planning.came(job);
  const asking = planning.placing(0, ["queue-sort", "admit"]);
  const { units, at } = parse(QueueSortRequest, bodyOf(asking.next()));
  assertEquals(units.map(({ id }) => id), ["a/job-a.b.0", "trace/job-1"]);
  assertEquals(units.map(({ gang }) => gang?.attributes), [{ team: "night" }, undefined]);
  assertEquals(Date.parse(at!), Date.parse("2024-01-01"));
  const keys = units.map(({ id }) => ({ id, key: id }));
  const asked = parse(AdmitRequest, bodyOf(asking.next({ keys })));
  assertEquals([asked.asks, asked.running], [{ "a/job-a.b.0": { "nvidia.com/gpu": 2 } }, []]);
  const { resources, running } = parse(AdmitRequest, bodyOf(asking.next({ verdict: "allow" })));
  const requests = { "nvidia.com/gpu": 2 };
  const attributes = { team: "night" };
  assertEquals(running, [{ namespace: "a", name: "job-a.b.0", attributes, pods: 2, requests }]);
  assertEquals(resources, [{ name: "nvidia.com/gpu", allocatable: 4, bound: 2, held: 0 }]);
});

function bodyOf({ value }: IteratorResult<{ body: unknown }, unknown>): unknown {
  return (value as { body: unknown }).body;
}

Deno.test("replay-trace --policy: a namespace that is none is an error that says where", async () => {
  const { err } = await replay({ jobs: ["4,0,60000,Team A,,"] });
  assertStringIncludes(err, 'line 2: "namespace" must be');
});

const wrong: Record<string, { policy: string; says: string }> = {
  "that answers no stage": {
    policy: "export default { fetch: () => new Response('', { status: 404 }) }",
    says: "it answers neither queue-sort nor admit",
  },
  "that fails": {
    policy: "export default { fetch: () => new Response('', { status: 500 }) }",
    says: "failed in queue-sort: HTTP 500",
  },
};

for (const [what, { policy, says }] of Object.entries(wrong)) {
  Deno.test(`replay-trace --policy: one ${what} is an error`, async () => {
    await using dir = folder();
    const path = join(dir.path, "wrong.js");
    await Deno.writeTextFile(path, policy);
    const { code, err } = await replay({ jobs: ["4,0,60000,,,"], policy: path });
    assertEquals(code === 0, false);
    assertStringIncludes(err, says);
  });
}
