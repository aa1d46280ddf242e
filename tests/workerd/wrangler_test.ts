import { assert, assertEquals, assertStringIncludes } from "@std/assert";
import { join } from "node:path";
import { bundleWorkers, edgeEntries } from "../../cli/worker_bundle.ts";
import { childDeno } from "../../tools/child_deno.ts";
import { compatibilityDate, musterWorker, startWorkerd } from "../../cli/workerd.ts";
import { at, gang, group, pod } from "../support/facts.ts";
import { type Environment, environments, readEnvironments, workerOf } from "./wrangler_config.ts";

const root = new URL("../..", import.meta.url).pathname;

let whole: Environment;
let store: Environment;
let stages: Environment[];
Deno.test.beforeAll(async () => {
  [whole, store, ...stages] = await readEnvironments() as [Environment, Environment];
});

/** What Cloudflare was told of the durable objects, tag by tag, as it was deployed. Append only. */
const deployedMigrations = [
  { tag: "v1", new_sqlite_classes: ["GangObject", "IndexObject"] },
];

Deno.test("wrangler.toml: deployed migrations are what they were, and both stores have them", () => {
  assertEquals(whole.migrations, deployedMigrations, "append to both lists; never edit");
  assertEquals(store.migrations, deployedMigrations);
  for (const { name, migrations } of stages) assertEquals(migrations, [], name);
});

Deno.test("wrangler.toml: tests and tasks run what is deployed", () => {
  assertEquals(whole.compatibility_date, compatibilityDate);
  const [, { classes, objects }] = workerOf(whole, "dist");
  assertEquals({ classes, objects }, JSON.parse(JSON.stringify(musterWorker)));
});

Deno.test("wrangler.toml: what must be said of each Worker is said alike", () => {
  for (const { vars, compatibility_date, workers_dev, preview_urls, route, routes } of stages) {
    assertEquals(vars, whole.vars);
    assertEquals(compatibility_date, whole.compatibility_date);
    // No Worker is on a public address unless somebody gives it one.
    assertEquals([workers_dev, preview_urls, route, routes], [false, false, undefined, undefined]);
  }
});

Deno.test("wrangler.toml: `wrangler deploy --dry-run` takes every environment without a warning", async (t) => {
  const dir = await Deno.makeTempDir({ prefix: "muster-wrangler-" });
  try {
    await bundleWorkers(edgeEntries, join(dir, "dist"));
    await Deno.copyFile(`${root}wrangler.toml`, join(dir, "wrangler.toml"));
    for (const env of environments) {
      await t.step(env === "" ? "the whole" : env, async () => {
        const { code, told } = await dryRun(env, dir);
        assertEquals(code, 0, told);
        assert(!/warning|error/i.test(told), told);
        assertStringIncludes(told, "--dry-run: exiting now.");
        const where = ["", "store"].includes(env) ? "" : ", defined in muster-store";
        for (const object of ["GANGS (GangObject", "INDEX (IndexObject"]) {
          assertStringIncludes(told, `env.${object}${where})`);
        }
      });
    }
  } finally {
    await Deno.remove(dir, { recursive: true });
  }
});

async function dryRun(env: string, dir: string): Promise<{ code: number; told: string }> {
  const wrangler = ["run", "-A", `--config=${root}deno.json`, "npm:wrangler@4.156.0"];
  const { code, stdout, stderr } = await childDeno(
    [...wrangler, "deploy", "--dry-run", "--env", env],
    {
      cwd: dir,
      env: {
        CI: "true",
        NO_COLOR: "1",
        WRANGLER_HIDE_BANNER: "true",
        WRANGLER_SEND_METRICS: "false",
        WRANGLER_LOG_PATH: join(dir, "log"),
      },
      stdout: "piped",
      stderr: "piped",
    },
  ).output();
  return { code, told: [stdout, stderr].map((bytes) => new TextDecoder().decode(bytes)).join("") };
}

Deno.test("wrangler.toml: a gang goes through a Worker per stage as it does through one Worker", async () => {
  const dir = await Deno.makeTempDir({ prefix: "muster-shapes-" });
  const dist = join(dir, "dist");
  await bundleWorkers(edgeEntries, dist);
  const workers = Object.fromEntries(
    [whole, store, ...stages].map((environment) => workerOf(environment, dist)),
  );
  const workerd = await startWorkerd({ dir: join(dir, "workerd"), workers });
  try {
    for (const [stage, body, verdict] of story) {
      const together = await ask(workerd.urlOf("muster"), { stage, body });
      assertEquals(await ask(workerd.urlOf(`muster-${stage}`), { stage, body }), together, stage);
      assertEquals(together.verdict, verdict, stage);
    }
    const paths: [worker: string, path: string][] = [["permit", "gangs"], ["store", "gangs"]];
    for (const [worker, path] of paths) {
      const response = await fetch(`${workerd.urlOf(`muster-${worker}`)}/v1/${path}`);
      await response.body?.cancel();
      assertEquals(response.status, 404, worker);
    }
  } finally {
    await workerd.stop();
    await Deno.remove(dir, { recursive: true });
  }
});

const waiting = gang({ minMember: 2, held: 1, pending: 1 });
const complete = gang({ minMember: 2, held: 2 });

const story: [stage: string, body: unknown, verdict?: string][] = [
  ["queue-sort", { units: [{ id: "a", gang: complete.gang, priority: 0, queuedAt: at(0) }] }],
  ["prefilter", told(1, gang({ minMember: 2, pending: 1 })), "reject"],
  ["prefilter", told(2, gang({ minMember: 2, pending: 2 })), "allow"],
  ["admit", told(2, gang({ minMember: 2, pending: 2 })), "allow"],
  ["permit", told(3, waiting), "wait"],
  ["postfilter", { ...told(4, waiting), failed: [] }, "wait"],
  ["unreserve", { ...told(5, waiting), lost: [{ pod: pod("a-1"), cause: "deleted" }] }, "reject"],
  ["prefilter", told(6, waiting), "reject"],
  ["gangs", undefined],
  ["permit", told(7, complete), "allow"],
  ["gangs", undefined],
];

function told(epoch: number, facts: ReturnType<typeof gang>) {
  return { ...group(facts), relay: { id: "relay", epoch } };
}

/** The answer, without the times in it. */
// deno-lint-ignore no-explicit-any -- what a body is, is what the test is about
async function ask(url: string, { stage, body }: { stage: string; body: unknown }): Promise<any> {
  const response = await fetch(`${url}/v1/${stage}`, {
    headers: { "content-type": "application/json" },
    ...(body !== undefined && { method: "POST", body: JSON.stringify(body) }),
  });
  const times = [
    "deadline",
    "failedAt",
    "updatedAt",
    "since",
    "key",
    "queueKey",
    "retryAfterSeconds",
  ];
  return JSON.parse(
    await response.text(),
    (key, value) => times.includes(key) ? typeof value : value,
  );
}
