import { assertEquals, assertMatch, assertStringIncludes } from "@std/assert";
import { join } from "node:path";
import { childDeno } from "../../../tools/child_deno.ts";
import { folder } from "../../examples/served.ts";

const root = new URL("../../..", import.meta.url).pathname;

const nodes = `{kind: Node, metadata: {name: n},
  status: {allocatable: {cpu: "8", memory: 8Gi, pods: "9"}}}`;

function job(name: string, paid = "yes"): string {
  return `
---
{kind: Job, metadata: {name: ${name}}, spec: {parallelism: 2, template: {
  metadata: {labels: {pod-group/name: ${name}, pod-group/min-available: "2"},
    annotations: {policy.muster.scheduling/paid: "${paid}"}},
  spec: {containers: [{name: c, resources: {requests: {cpu: "2"}}}]}}}}`;
}

/** The last name first; who has not paid waits, and who would take more than half of the CPUs. */
const policy = `export default { async fetch(request) {
  const body = await request.json();
  if (request.url.endsWith("/v1/queue-sort")) {
    if (!body.units) return new Response("", { status: 400 });
    const keyOf = (id) => String(999 - id.charCodeAt(id.length - 1));
    return Response.json({ keys: body.units.map(({ id }) => ({ id, key: keyOf(id) })) });
  }
  if (!request.url.endsWith("/v1/admit")) return new Response("", { status: 404 });
  if (!body.gangs) return new Response("", { status: 400 });
  const { gang } = body.gangs[0];
  const used = body.running.reduce((sum, { requests }) => sum + requests.cpu, 0);
  const asks = body.asks[gang.namespace + "/" + gang.name].cpu;
  if (gang.attributes.paid === "no") return Response.json({ verdict: "wait", message: "unpaid" });
  if (used + asks <= 4000) return Response.json({ verdict: "allow" });
  return Response.json({ verdict: "wait", reason: "Half", message: "half is used: " + used });
} };`;

async function simulate(
  files: { manifests: string; policy: string },
): Promise<{ code: number; out: string; err: string }> {
  await using dir = folder();
  const path = (name: string) => join(dir.path, name);
  await Deno.writeTextFile(path("nodes.yaml"), nodes);
  await Deno.writeTextFile(path("jobs.yaml"), files.manifests);
  await Deno.writeTextFile(path("policy.js"), files.policy);
  const what = ["-f", path("jobs.yaml"), "--nodes", path("nodes.yaml")];
  const { code, stdout, stderr } = await childDeno(
    [
      "run",
      "-A",
      "--no-check",
      "cli/muster.ts",
      "simulate",
      ...what,
      "--policy",
      path("policy.js"),
    ],
    { cwd: root, env: { NO_COLOR: "1" }, stdout: "piped", stderr: "piped" },
  ).output();
  const text = (bytes: Uint8Array) => new TextDecoder().decode(bytes);
  return { code, out: text(stdout), err: text(stderr) };
}

Deno.test("simulate --policy: says what a policy decides, beside what happens without it", async () => {
  const manifests = ["a", "b"].map((name) => job(name)).join("") + job("c", "no");
  const { code, out } = await simulate({ manifests, policy });
  assertEquals(code, 4, out);
  assertMatch(out, /ORDER +WHAT +VERDICT +WITHOUT +WHERE OR WHY/);
  assertMatch(out, /- +gang default\/c +waits +waits +is kept waiting by policy: unpaid/);
  assertMatch(out, /1 +gang default\/b +starts +starts, 2 +n: 2/);
  assertMatch(out, /- +gang default\/a +waits +starts, 1 .*policy Half: half is used: 4000/);
});

Deno.test("simulate --policy: says what is wrong with a policy", async (t) => {
  const cases: [string, string, string][] = [
    ["no fetch", "export default {}", "its default export must have a fetch function"],
    [
      "no stage",
      "export default { fetch: () => new Response('', { status: 404 }) }",
      "it answers neither queue-sort nor admit",
    ],
    [
      "no answer",
      "export default { fetch: () => new Response('', { status: 500 }) }",
      "failed in queue-sort: HTTP 500",
    ],
    ["no module", "export default {", "Cannot load policy"],
  ];
  for (const [name, policy, error] of cases) {
    await t.step(name, async () => {
      const { code, err } = await simulate({ manifests: job("a"), policy });
      assertEquals(code === 0, false);
      assertStringIncludes(err, error);
    });
  }
});
