import { assert, assertEquals, assertMatch, assertStringIncludes } from "@std/assert";
import { join } from "node:path";
import { childDeno } from "../../../tools/child_deno.ts";

const command = new URL("../../../cli/replay_trace.ts", import.meta.url).pathname;
const header = "job_id,num_gpu,submit_time,duration,priority";

/** Runs the command on files of these texts, in a folder that is given to `look` before it goes. */
async function replay(
  { jobs, nodes = "name,gpu\nn0,2\nn1,2\n", args = [], env = {} }: {
    jobs: string[];
    nodes?: string;
    args?: string[];
    env?: Record<string, string>;
  },
  look: (folder: string) => Promise<void> = async () => {},
) {
  const folder = await Deno.makeTempDir();
  try {
    await Deno.writeTextFile(join(folder, "jobs.csv"), [header, ...jobs, ""].join("\n"));
    await Deno.writeTextFile(join(folder, "nodes.csv"), nodes);
    const output = await childDeno(
      ["run", "-A", command, "jobs.csv", ...args],
      {
        cwd: folder,
        stdin: "null",
        env: { NO_COLOR: "1", MUSTER_TRACE_NODES: "nodes.csv", ...env },
      },
    ).output();
    await look(folder);
    const text = (bytes: Uint8Array) => new TextDecoder().decode(bytes);
    return { code: output.code, stdout: text(output.stdout), stderr: text(output.stderr) };
  } finally {
    await Deno.remove(folder, { recursive: true });
  }
}

// The first has a half, the second wants all, the third ends in time to pass, the fourth is too large.
const jobs = ["0,2,0,60000,0", "1,4,1000,60000,0", "2,1,2000,30000,0", "3,5,2000,30000,0"];

for (const switched of ["true", "false"]) {
  Deno.test(`replay-trace: flags are variables too, and MUSTER_TRACE_PRIORITIES=${switched} says what it says`, async () => {
    const late = ["0,2,0,60000,0", "1,2,1000,60000,0", "2,2,2000,60000,1"];
    const env = {
      MUSTER_TRACE_GPUS: "2",
      MUSTER_TRACE_OUT: "out",
      MUSTER_BACKFILL: "none",
      MUSTER_TRACE_PRIORITIES: switched,
    };
    await replay({ jobs: late, env }, async (folder) => {
      const { policies } = JSON.parse(await Deno.readTextFile(join(folder, "out/trace.json")));
      assertEquals(Object.keys(policies), ["none"]);
      // 0, 59 and 118 s in the order of the file; the last before the second: 0, 119 and 58.
      assertEquals(policies.none.wait.p95, switched === "true" ? 119 : 118);
    });
  });
}

Deno.test("replay-trace: rules side by side, and as files", async () => {
  const { code, stdout } = await replay(
    { jobs, args: ["--backfill", "none,easy", "--out", "out"] },
    async (folder) => {
      const { policies } = JSON.parse(await Deno.readTextFile(join(folder, "out/trace.json")));
      const { none, easy } = policies;
      assertEquals([none.started, none.tooLarge, none.stuck], [3, 1, 0]);
      // Waits of 0, 59 and 118 s; the third job starts at once where it may pass.
      assertEquals(none.wait, { mean: 59, median: 59, p95: 118 });
      assertEquals(easy.wait, { mean: 59 / 3, median: 0, p95: 59 });
      assertEquals(easy.promises, { made: 1, kept: 1 });
      assertEquals(easy.utilisation, (2 * 60 + 4 * 60 + 30) / (4 * 120));
      const svg = await Deno.readTextFile(join(folder, "out/trace.svg"));
      assertMatch(svg, /^<svg .*<title>4 GPUs/s);
      // Plans are made when a job comes or ends and others wait.
      const [{ waiting, plans, ms }, ...longer] = none.plans;
      assertEquals([waiting, plans, longer], [[1, 10], 5, []]);
      assert(ms.mean > 0 && ms.median > 0 && ms.p95 >= ms.median);
    },
  );
  assertEquals(code, 0);
  assertMatch(stdout, /^wait, mean +59 s +20 s$/m);
  assertMatch(stdout, /^promises kept +- +1 of 1$/m);
  assertMatch(
    stdout,
    /^a plan, 1 to 10 waiting, median +[\d.]+ ms +[\d.]+ ms\n +95 % +[\d.]+ ms +[\d.]+ ms$/m,
  );
});

Deno.test("replay-trace: every rule starts what can start, and none that lets some pass makes others wait longer here", async () => {
  const rules = "none,timed,easy,easy-4,conservative";
  const args = ["--estimates", "true", "--backfill", rules, "--out", "out"];
  const { stderr } = await replay({ jobs, args }, async (folder) => {
    const { policies } = JSON.parse(await Deno.readTextFile(join(folder, "out/trace.json")));
    assertEquals(Object.keys(policies), rules.split(","));
    for (const [rule, { started, wait }] of Object.entries<typeof policies.none>(policies)) {
      assertEquals(started, 3, rule);
      assert(wait.mean <= policies.none.wait.mean, rule);
    }
  });
  assertEquals(stderr.includes("error"), false, stderr);
});

Deno.test("replay-trace: more nodes, worse run times and priorities are asked for by flags", async () => {
  const more = await replay({ jobs, args: ["--backfill", "none", "--add-nodes", "2"] });
  assertMatch(more.stdout, /4 jobs on 4 nodes with 8 GPUs/);
  assertMatch(more.stdout, /^wait, mean +30 s$/m);
  const worse = await replay({ jobs, args: ["--backfill", "easy", "--estimates", "times:3"] });
  assertMatch(worse.stdout, /^promises kept +1 of 1$/m);
  const urgent = ["0,4,0,60000,0", "1,4,1000,60000,0", "2,4,2000,10000,1"];
  const meanWait = async (args: string[]) =>
    /^wait, mean +(\d+ s)/m.exec((await replay({ jobs: urgent, args })).stdout)?.[1];
  assertEquals(await meanWait(["--backfill", "none"]), "59 s");
  assertEquals(await meanWait(["--backfill", "none", "--priorities"]), "42 s");
});

const wrong: Record<string, { jobs: string[]; nodes?: string; args?: string[]; says: string }> = {
  "a number of GPUs that is none": {
    jobs: ["0,1,0,1,0", "1,four,0,1,0"],
    says:
      'Cannot read "jobs.csv", line 3: "num_gpu" must be a whole number from 1 to 100000: current value is "four"',
  },
  "a time before the beginning": {
    jobs: ["0,1,-5,1,0"],
    says: 'line 2: "submit_time" must be a number from 0',
  },
  "too few cells": {
    jobs: ["0,1,0"],
    says: "line 2: there are 3 cells: give 5, as the first line",
  },
  "no jobs": { jobs: [], says: "there is no line but the one of names: add some" },
  "no column of GPUs": {
    jobs,
    nodes: "name,cpus\nn0,4\n",
    says: 'Cannot read "nodes.csv", line 1: there is no column "gpu": the first line must name it',
  },
  "a node twice": {
    jobs,
    nodes: "name,gpu\nn0,4\nn0,4\n",
    says: 'line 3: node "n0" is there twice',
  },
  "a rule that is none": {
    jobs,
    args: ["--backfill", "easy,greedy"],
    says: '"greedy" is none of none, timed, <seconds>, easy, easy-<N> or conservative',
  },
  "run times of no kind": { jobs, args: ["--estimates", "times:0"], says: '"times:0" is none of' },
};

for (const [what, { says, ...files }] of Object.entries(wrong)) {
  Deno.test(`replay-trace: ${what} is an error that says where`, async () => {
    const { code, stderr } = await replay(files);
    assert(code !== 0);
    assertStringIncludes(stderr, says);
  });
}
