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
  const bindings = embeddedBindings({
    dir: join(dir, "embedded"),
    vars: { MUSTER_LOOPBACK: "true" },
  });
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

Deno.test("edge bundle: a gang goes through its stages on workerd as it does on the embedded store", async () => {
  const dir = await Deno.makeTempDir({ prefix: "muster-bundle-" });
  const bundle = await bundleWorker(entry, join(dir, "worker.js"));
  const workerd = await startWorkerd({ bundle: bundle.path, dir: join(dir, "workerd") });
  const bindings = embeddedBindings({
    dir: join(dir, "embedded"),
    vars: { MUSTER_LOOPBACK: "true" },
  });
  const calls: { path: string; body: unknown; verdict: string }[] = [
    { path: "/v1/prefilter", body: facts({ epoch: 1, pending: 1 }), verdict: "reject" },
    { path: "/v1/prefilter", body: facts({ epoch: 2, pending: 2 }), verdict: "allow" },
    { path: "/v1/permit", body: facts({ epoch: 3, held: 1, pending: 1 }), verdict: "wait" },
    { path: "/v1/permit", body: facts({ epoch: 3, held: 1, pending: 1 }), verdict: "wait" },
    {
      path: "/v1/unreserve",
      body: { ...facts({ epoch: 4, held: 1 }), lost: [{ pod: pod(1), cause: "deleted" }] },
      verdict: "reject",
    },
    { path: "/v1/permit", body: facts({ epoch: 5, held: 2 }), verdict: "allow" },
  ];
  try {
    for (const { path, body, verdict } of calls) {
      const init = {
        method: "POST",
        headers: { "content-type": "application/json" },
        body: JSON.stringify(body),
      };
      const theirs = await (await fetch(workerd.url + path, init)).json();
      const ours = await (await policy.request(path, init, bindings)).json();
      assertEquals(theirs.verdict, verdict, path);
      assertEquals(withoutTimes(ours), withoutTimes(theirs), path);
    }
  } finally {
    await workerd.stop();
    await bindings.close();
    await Deno.remove(dir, { recursive: true });
  }
});

function facts(
  { epoch, held = 0, pending = 0 }: { epoch: number; held?: number; pending?: number },
) {
  return {
    relay: { id: "relay-1", epoch },
    gangs: [{
      gang: {
        namespace: "default",
        name: "pair",
        minMember: 2,
        createdAt: "2026-01-01T00:00:00Z",
      },
      census: { pending, gated: 0, bound: 0, running: 0, succeeded: 0, failed: 0, terminating: 0 },
      held: Array.from({ length: held }, (_, index) => pod(index)),
    }],
  };
}

function pod(index: number) {
  return { namespace: "default", name: `pair-${index}`, uid: `uid-${index}` };
}

function withoutTimes(answer: Record<string, unknown>): Record<string, unknown> {
  const { deadline: _deadline, failedAt: _failedAt, ...rest } = answer;
  return rest;
}

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
    assertEquals(await (await fetch(workerd.url)).json(), { MUSTER_LOOPBACK: "true", ...vars });
  } finally {
    await workerd.stop();
    await Deno.remove(dir, { recursive: true });
  }
});
