import { assert, assertEquals, assertMatch } from "@std/assert";
import { join } from "node:path";
import { policy } from "../../functions/policy.ts";
import { embeddedBindings } from "../../shared/store/embedded/bindings.ts";
import { bundleWorker } from "../../tools/build.ts";
import { startWorkerd } from "../../tools/workerd.ts";

const entry = new URL("../../functions/worker.ts", import.meta.url).pathname;

Deno.test("edge bundle: runs on workerd, and answers as the embedded store does", async () => {
  const dir = await Deno.makeTempDir({ prefix: "muster-bundle-" });
  const bundle = await bundleWorker(entry, join(dir, "worker.js"));
  const workerd = await startWorkerd({ bundle: bundle.path, dir: join(dir, "workerd") });
  const bindings = embeddedBindings({ dir: join(dir, "embedded") });
  try {
    for (const path of ["/healthz", "/v1/gangs", "/v1/gangs/default/nothing"]) {
      const theirs = await fetch(workerd.url + path);
      const ours = await policy.request(path, {}, bindings);
      assertEquals([ours.status, await ours.text()], [theirs.status, await theirs.text()], path);
    }
  } finally {
    await workerd.stop();
    await bindings.close();
    await Deno.remove(dir, { recursive: true });
  }
});

Deno.test("edge bundle: has the platform's own durable objects, not the embedded store", async () => {
  const dir = await Deno.makeTempDir({ prefix: "muster-bundle-" });
  try {
    const bundle = await bundleWorker(entry, join(dir, "worker.js"));
    assert(bundle.inputs.some((path) => path.endsWith("shared/store/gang_object.ts")));
    assertEquals(bundle.inputs.filter((path) => path.includes("shared/store/embedded")), []);
    assertMatch(await Deno.readTextFile(bundle.path), /from"cloudflare:workers"/);
    assertEquals(bundle.bytes, (await Deno.stat(bundle.path)).size);
    assert(bundle.gzipBytes < bundle.bytes);
  } finally {
    await Deno.remove(dir, { recursive: true });
  }
});

Deno.test("workerd: variables arrive as they were given", async () => {
  const dir = await Deno.makeTempDir({ prefix: "muster-vars-" });
  const vars = { PLAIN: "default", ODD: 'a "quoted" \\ line\nand\u0001 ünïcödé' };
  const bundle = join(dir, "vars.js");
  await Deno.writeTextFile(
    bundle,
    "export default { fetch: (_, env) => Response.json(env) };",
  );
  const workerd = await startWorkerd({ bundle, dir: join(dir, "workerd"), vars, objects: {} });
  try {
    assertEquals(await (await fetch(workerd.url)).json(), vars);
  } finally {
    await workerd.stop();
    await Deno.remove(dir, { recursive: true });
  }
});
