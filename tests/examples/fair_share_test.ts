import { assertEquals, assertMatch } from "@std/assert";
import { join } from "node:path";
import fairShare from "../../examples/policies/fair_share.ts";
import { admit, admitRequest, gang, order, unit } from "../../packages/policy/testing.ts";
import { gpu, over, resources, runs } from "./facts.ts";
import { folder, type ServedPolicy, serveOnDeno, serveOnWorkerd } from "./served.ts";

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

Deno.test("fair share: of gangs that wait each counts for its team's next one, so that two teams take turns", async () => {
  const at = "2028-01-01T00:00:00Z";
  const gangs = ["a1", "a2", "a3", "b1", "b2"].map((name, index) =>
    unit(
      gang({ namespace: `ns-${name[0]}`, name, createdAt: `2026-03-02T11:0${index}:00Z` }),
      { asks: { [gpu]: 4 } },
    )
  );
  assertEquals(await order(fairShare, gangs, { resources, at }), [
    "ns-a/a1",
    "ns-b/b1",
    "ns-a/a2",
    "ns-b/b2",
    "ns-a/a3",
  ]);
  // A large gang counts for more than a small one.
  gangs[0] = unit(gangs[0]!.gang!, { asks: { [gpu]: 8 } });
  assertEquals(
    (await order(fairShare, gangs, { resources, at })).slice(0, 4),
    ["ns-a/a1", "ns-b/b1", "ns-b/b2", "ns-a/a2"],
  );
});

Deno.test("fair share: a resource of which the nodes have nothing now is no measure, then or later", async () => {
  const none = [{ name: gpu, allocatable: 0, bound: 0, held: 0 }];
  const running = [runs("ns-a", 6), runs("ns-b", 0)];
  const at = (minute: number) => `2029-01-01T00:0${minute}:00Z`;
  await order(fairShare, [a!, b!], { running, resources: none, at: at(0) });
  assertEquals(await order(fairShare, [a!, b!], { running, resources, at: at(1) }), [
    "ns-b/b",
    "ns-a/a",
  ]);
});

Deno.test("fair share: where pods are not trusted to name their team, it is their namespace", async () => {
  const liar = unit(gang({ namespace: "ns-a", name: "a", attributes: { team: "nobody" } }));
  const facts = { running: [runs("ns-a", 6), runs("ns-b", 2)], resources };
  const at = "2030-01-01T00:00:00Z";
  assertEquals(await order(fairShare, [liar, b!], { ...facts, at }), ["ns-a/a", "ns-b/b"]);
  const env = { TEAM_BY: "namespace" };
  assertEquals(await order(fairShare, [liar, b!], { ...facts, at, env }), ["ns-b/b", "ns-a/a"]);
});

Deno.test("fair share: a team starts within its quota, and borrows what others leave of theirs", async () => {
  const wanted = gang({ name: "w", attributes: { team: "research" } });
  const has = (team: string, gpus: number) => runs(`x-${team}`, gpus, { team });
  const ask = (
    spec: typeof wanted,
    env: Record<string, string>,
    { others = 0, gpus = 3 }: { others?: number; gpus?: number } = {},
  ) => {
    const running = [has("research", 6), has("sales", others)];
    return admit(fairShare, admitRequest(spec, { running, asks: { [gpu]: gpus } }), env);
  };
  const quotas = { QUOTAS: `{"research":{"${gpu}":8},"sales":{"${gpu}":4}}` };
  const borrows = { ...quotas, BORROW: "0.5" };
  const waits = await ask(wanted, quotas);
  assertEquals([waits.verdict, waits.reason], ["wait", "QuotaUsedUp"]);
  assertMatch(waits.message!, /team research has 6 of 8 .*; default\/w asks for 3/);
  assertEquals((await ask(wanted, borrows, { others: 4 })).verdict, "wait");
  assertMatch((await ask(wanted, borrows, { others: 4 })).message!, /may borrow up to 4 that/);
  assertEquals((await ask(wanted, borrows, { gpus: 7 })).verdict, "wait");
  assertEquals((await ask(wanted, borrows, { others: 3 })).verdict, "allow");
  // Let in and not seen to run yet: it counts for the next one, and stays in itself.
  const next = gang({ name: "next", attributes: { team: "research" } });
  assertEquals((await ask(next, borrows, { gpus: 4 })).verdict, "wait");
  assertEquals((await ask(wanted, quotas)).verdict, "allow");
});
