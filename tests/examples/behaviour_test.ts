import { assertEquals, assertMatch } from "@std/assert";
import { join } from "node:path";
import fairShare from "../../examples/policies/fair_share.ts";
import licenceTokens from "../../examples/policies/licence_tokens.ts";
import officeHours from "../../examples/policies/office_hours.ts";
import { admit, admitRequest, gang, order, unit } from "../../packages/policy/testing.ts";
import type { ClusterFacts } from "../../packages/policy/types.ts";
import { folder, has, serveBy, type ServedPolicy, serveOnDeno, serveOnWorkerd } from "./served.ts";

const gpu = "nvidia.com/gpu";
const resources = [{ name: gpu, allocatable: 16, bound: 8, held: 0 }];

/** So many GPUs that run. */
function runs(namespace: string, gpus: number, parts: { name?: string; team?: string } = {}) {
  const { name = "old", team } = parts;
  const attributes = team === undefined ? {} : { attributes: { team } };
  return { namespace, name, ...attributes, pods: 1, requests: { [gpu]: gpus } };
}

const [a, b] = ["a", "b"].map((name) => unit(gang({ namespace: `ns-${name}`, name })));

Deno.test("fair share: who has less goes first, by namespace or by team", async () => {
  const running = [runs("ns-a", 6), runs("ns-b", 2)];
  assertEquals(await order(fairShare, [a!, b!], { running, resources }), ["ns-b/b", "ns-a/a"]);
  const teams = [
    unit(gang({ name: "x", attributes: { team: "large" } })),
    unit(gang({ name: "y", attributes: { team: "small" } })),
  ];
  const shared = [runs("default", 6, { team: "large" }), runs("default", 2, { team: "small" })];
  assertEquals(
    await order(fairShare, teams, { running: shared, resources, at: "2026-03-02T12:00:01Z" }),
    [
      "default/y",
      "default/x",
    ],
  );
});

Deno.test("fair share: the share is dominant, and of equals the older one goes first", async () => {
  const both = [...resources, { name: "cpu", allocatable: 1000, bound: 0, held: 0 }];
  const running = [
    { namespace: "ns-a", pods: 1, requests: { cpu: 900 } },
    runs("ns-b", 8),
  ];
  const at = "2026-04-01T00:00:00Z";
  assertEquals(await order(fairShare, [a!, b!], { running, resources: both, at }), [
    "ns-b/b",
    "ns-a/a",
  ]);
});

Deno.test("fair share: what ran counts for half after a half-life", async () => {
  const share = async (at: string, running: ReturnType<typeof runs>[]) =>
    await order(fairShare, [a!, b!], { running, resources, at, env: { HALF_LIFE: "60" } });
  // An hour of eight GPUs for one, then two GPUs of the other: the first waits until it has been forgotten.
  await share("2027-01-01T00:00:00Z", [runs("ns-a", 8)]);
  await share("2027-01-01T01:00:00Z", [runs("ns-b", 3)]);
  assertEquals(await share("2027-01-01T01:00:30Z", [runs("ns-b", 3)]), ["ns-b/b", "ns-a/a"]);
  assertEquals(await share("2027-01-01T01:03:00Z", [runs("ns-b", 3)]), ["ns-a/a", "ns-b/b"]);
});

/** By two processes, one after the other, each of which is asked once; what the second has first. */
async function orderOverRestart(serve: () => Promise<ServedPolicy>): Promise<string[]> {
  const ask = async (at: string, running: ReturnType<typeof runs>[]) => {
    await using served = await serve();
    return await order(over(served.url), [a!, b!], { running, resources, at });
  };
  await ask("2027-01-01T00:00:00Z", [runs("ns-a", 8)]);
  return await ask("2027-01-01T01:00:00Z", []);
}

Deno.test("fair share: what ran counts after a restart too, where there is a file for it", async () => {
  await using dir = folder();
  const env = { HISTORY: join(dir.path, "history") };
  const file = "examples/policies/fair_share.ts";
  assertEquals(await orderOverRestart(() => serveOnDeno(file, env)), ["ns-b/b", "ns-a/a"]);
  // Without one both have the same share, and of equals the first by name goes first.
  assertEquals(await orderOverRestart(() => serveOnDeno(file)), ["ns-a/a", "ns-b/b"]);
});

Deno.test("fair share: what ran counts after a restart of workerd, where there is an object for it", async () => {
  await using dir = folder();
  const kept = { path: dir.path, [Symbol.asyncDispose]: () => Promise.resolve() };
  const serve = () =>
    serveOnWorkerd("examples/policies/fair_share.ts", {}, { classes: ["History"], dir: kept });
  assertEquals(await orderOverRestart(serve), ["ns-b/b", "ns-a/a"]);
});

Deno.test("quotas and licences: whoever starts counts, and nothing is remembered for that", async () => {
  // What is promised here is over for the other tests.
  const at = "2026-03-01T12:00:00Z";
  const starting = [{ ...runs("x", 3, { team: "research" }), name: "starts" }];
  const wanted = gang({ name: "fresh", attributes: { team: "research" } });
  const quotas = { QUOTAS: `{"research":{"${gpu}":8}}` };
  const quota = async (told: typeof starting) =>
    (await admit(
      fairShare,
      admitRequest(wanted, { at, starting: told, asks: { [gpu]: 6 } }),
      quotas,
    )).verdict;
  assertEquals(await quota(starting), "wait");
  assertEquals(await quota([]), "allow");

  const attributes = { licences: "matlab=2" };
  const comes = { namespace: "default", name: "comes", attributes, pods: 2, requests: {} };
  const licences = async (facts: ClusterFacts) =>
    (await admit(
      licenceTokens,
      admitRequest(gang({ namespace: "fresh", attributes }), { at, ...facts }),
      { LICENCES: '{"matlab":3}' },
    )).verdict;
  assertEquals(await licences({ starting: [comes] }), "wait");
  assertEquals(await licences({ starting: [comes], running: [comes] }), "wait");
  assertEquals(await licences({}), "allow");
});

Deno.test("fair share: a team starts within its quota, and what it borrows", async () => {
  const wanted = gang({ name: "w", attributes: { team: "research" } });
  const running = [runs("x", 6, { team: "research" })];
  const ask = (spec: typeof wanted, env: Record<string, string>, gpus = 3) =>
    admit(fairShare, admitRequest(spec, { running, asks: { [gpu]: gpus } }), env);
  const quotas = { QUOTAS: `{"research":{"${gpu}":8}}` };
  const waits = await ask(wanted, quotas);
  assertEquals([waits.verdict, waits.reason], ["wait", "QuotaUsedUp"]);
  assertMatch(waits.message!, /team research has 6 of 8 .* default\/w asks for 3/);
  assertEquals((await ask(wanted, { ...quotas, BORROW: "0.5" })).verdict, "allow");
  // Let in and not seen to run yet: it counts for the next one, and stays in itself.
  const next = gang({ name: "next", attributes: { team: "research" } });
  assertEquals((await ask(next, { ...quotas, BORROW: "0.5" }, 4)).verdict, "wait");
  assertEquals((await ask(wanted, quotas)).verdict, "allow");
});

Deno.test("office hours: large gangs start at night and at weekends, urgent ones at any time", async (t) => {
  const cases: [string, string, number, number, "allow" | "wait"][] = [
    ["at noon", "2026-03-02T12:00:00Z", 8, 0, "wait"],
    ["a small one", "2026-03-02T12:00:00Z", 4, 0, "allow"],
    ["an urgent one", "2026-03-02T12:00:00Z", 8, 1, "allow"],
    ["in the evening", "2026-03-02T17:00:00Z", 8, 0, "allow"],
    ["on Saturday", "2026-03-07T12:00:00Z", 8, 0, "allow"],
  ];
  for (const [name, at, gpus, priority, verdict] of cases) {
    await t.step(name, async () => {
      const request = admitRequest(gang({ priority }), { at, asks: { [gpu]: gpus } });
      const env = { TIME_ZONE: "Europe/Berlin" };
      assertEquals((await admit(officeHours, request, env)).verdict, verdict);
    });
  }
  const late = admitRequest(gang(), { at: "2026-03-02T17:45:00Z", asks: { [gpu]: 8 } });
  assertEquals((await admit(officeHours, late)).askAgainSeconds, 900);
});

Deno.test("licences: a gang starts when as many are free, wherever they are used", async () => {
  await using server = Deno.serve(
    { hostname: "127.0.0.1", port: 0, onListen() {} },
    () => Response.json({ matlab: { total: 10, used: 7 } }),
  );
  const env = { LICENCE_SERVER: `http://127.0.0.1:${(server.addr as Deno.NetAddr).port}` };
  const wants = (name: string, licences: string) =>
    admitRequest(gang({ name, attributes: { licences } }));
  const ask = (name: string, licences: string) => admit(licenceTokens, wants(name, licences), env);
  const waits = await ask("four", "matlab=4");
  assertEquals([waits.verdict, waits.message], [
    "wait",
    "needs 4 licences of matlab, and 3 of 10 are free",
  ]);
  assertEquals((await ask("two", "matlab=2")).verdict, "allow");
  // The two are promised, although the server does not know yet.
  assertEquals((await ask("another", "matlab=2")).verdict, "wait");
  assertEquals((await ask("none", "")).verdict, "allow");
  assertEquals((await ask("stranger", "ansys=1")).verdict, "wait");
});

Deno.test("deadlines: the nearest latest start goes first, then priority and age", async () => {
  if (!await has("go")) return;
  await using dir = folder();
  const program = join(dir.path, "deadlines");
  const cwd = new URL("../../examples/policies/deadlines", import.meta.url).pathname;
  await new Deno.Command("go", { args: ["build", "-o", program, "."], cwd }).output();
  await using served = await serveBy([program]);
  const units = [
    unit(gang({ name: "old", createdAt: "2026-03-01T00:00:00Z" })),
    unit(gang({ name: "high", priority: 5 })),
    unit(gang({ name: "evening", attributes: { deadline: "2026-03-02T18:00:00Z" } })),
    unit(gang({ name: "long", attributes: { deadline: "2026-03-02T20:00:00Z", takes: "6h" } })),
    unit(gang({ name: "unread", attributes: { deadline: "soon" } })),
  ];
  assertEquals(await order(over(served.url), units), [
    "default/long",
    "default/evening",
    "default/high",
    "default/old",
    "default/unread",
  ]);
});

Deno.test("a month's budget: what ran is counted, over a restart, until the month ends", async () => {
  if (!await has("python3")) return;
  await using dir = folder();
  const ledger = { LEDGER: join(dir.path, "ledger.sqlite"), BUDGETS: '{"ns-a":1}' };
  const command = ["python3", "-u", "examples/policies/month_budget.py"] as const;
  const ask = async (url: string, at: string) =>
    await admit(
      over(url),
      admitRequest(gang({ namespace: "ns-a" }), { at, running: [runs("ns-a", 6)] }),
    );
  {
    await using served = await serveBy(command, { env: ledger });
    assertEquals((await ask(served.url, "2026-03-30T10:00:00Z")).verdict, "allow");
    assertEquals((await ask(served.url, "2026-03-30T10:05:00Z")).verdict, "allow");
  }
  await using served = await serveBy(command, { env: ledger });
  const waits = await ask(served.url, "2026-03-30T10:10:00Z");
  assertEquals([waits.verdict, waits.reason], ["wait", "BudgetUsedUp"]);
  assertEquals(
    waits.message,
    `budget of ns-a is used up until 2026-04-01: 1.0 of 1 hours of ${gpu}`,
  );
  assertEquals((await ask(served.url, "2026-04-01T00:00:00Z")).verdict, "allow");
});

/** A policy that is reached over the network. */
function over(url: string) {
  return {
    fetch: (request: Request) => fetch(url + new URL(request.url).pathname, request),
  };
}
