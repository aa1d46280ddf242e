import { assert, assertEquals, assertLess, assertMatch } from "@std/assert";
import { join } from "node:path";
import { type Bundle, bundleWorkers, edgeEntries } from "../../cli/worker_bundle.ts";
import { startWorkerd } from "../../cli/workerd.ts";

/** Cloudflare takes 3 MB, gzipped, on every plan; what a bundle is made of should stay in sight long before. */
const budget: Record<string, number> = {
  // Of which 18,000 are the page, its style and its script, 16,000 what the gang objects decide by, and 6,000 check calls and
  // say what is wrong with a field.
  worker: 75_000,
  // The same, beside what every stage has.
  page: 57_000,
  // What the gang objects decide by, trees of composites and what a running gang lost among it, and what begins anew when it is
  // damaged or of a time ahead.
  store: 17_500,
};
/** A sixth of it checks calls, a fourth serves them, 7,000 verify tokens, and 4,000 are the document. */
const stageBudget = 34_000;

async function withBundles(
  body: (bundles: Record<string, Bundle>, dir: string) => void | Promise<void>,
): Promise<void> {
  const dir = await Deno.makeTempDir({ prefix: "muster-bundle-" });
  try {
    await body(await bundleWorkers(edgeEntries, join(dir, "dist")), dir);
  } finally {
    await Deno.remove(dir, { recursive: true });
  }
}

Deno.test("edge bundles: have the platform's own durable objects, not the embedded store", async () => {
  await withBundles(async (bundles) => {
    for (const [name, { path, inputs }] of Object.entries(bundles)) {
      const hasClasses = inputs.some((input) => input.endsWith("shared/store/gang_object.ts"));
      assertEquals(hasClasses, ["worker", "store"].includes(name), name);
      assertEquals(inputs.filter((input) => input.includes("shared/store/embedded")), []);
      assertMatch(await Deno.readTextFile(path), /from"cloudflare:workers"/);
    }
  });
});

Deno.test("edge bundles: have nothing that makes documents", async () => {
  await withBundles((bundles) => {
    for (const [name, { inputs }] of Object.entries(bundles)) {
      assertEquals(inputs.filter((input) => /json-schema|tools\/openapi/.test(input)), [], name);
    }
  });
});

Deno.test("edge bundles: stay within their budget of bytes", async () => {
  await withBundles(async (bundles) => {
    for (const [name, { path, bytes, gzipBytes }] of Object.entries(bundles)) {
      assertEquals(bytes, (await Deno.stat(path)).size);
      assertLess(gzipBytes, budget[name] ?? stageBudget, `${name}: say here why it must be larger`);
    }
  });
});

Deno.test("edge bundles: start within their budget of CPU time", async () => {
  await withBundles(async ({ worker }, dir) => {
    const empty = join(dir, "empty.js");
    await Deno.writeTextFile(empty, "export default { fetch: () => new Response('ok') };");
    const idle = await cpuTicksAtFirstAnswer(empty, { dir: join(dir, "empty") });
    const ours = await cpuTicksAtFirstAnswer(worker!.path, { dir: join(dir, "muster") });
    // Of CPU time, which a busy machine does not stretch. Cloudflare refuses a Worker that takes a second, on every plan.
    assertLess(ours - idle, 12, "hundredths of a second beyond those of an empty Worker");
  });
});

/** CPU time that workerd has used when the Worker has answered once, in 1/100 s. */
async function cpuTicksAtFirstAnswer(bundle: string, { dir }: { dir: string }): Promise<number> {
  const workerd = await startWorkerd({ dir, workers: { muster: { bundle } } });
  try {
    await (await fetch(`${workerd.urlOf("muster")}/healthz`)).text();
    const stat = await Deno.readTextFile(`/proc/${workerd.pid}/stat`);
    const fields = stat.replace(/^.*\) /s, "").split(" ");
    const [user, system] = fields.slice(11, 13).map(Number);
    assert(user !== undefined && system !== undefined);
    return user + system;
  } finally {
    await workerd.stop();
  }
}
