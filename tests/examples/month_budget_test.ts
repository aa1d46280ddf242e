import { assertEquals } from "@std/assert";
import { join } from "node:path";
import { admit, admitRequest, gang } from "../../packages/policy/testing.ts";
import { gpu, over, runs } from "./facts.ts";
import { folder, has, serveBy } from "./served.ts";

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

Deno.test("a month's budget: what runs on counts in full however long nobody asks, each month its own", async () => {
  if (!await has("python3")) return;
  const env = { BUDGETS: '{"ns-a":1000,"ns-b":1}' };
  await using served = await serveBy(["python3", "-u", "examples/policies/month_budget.py"], {
    env,
  });
  const ask = async (at: string, running: ReturnType<typeof runs>[], namespace = "ns-a") =>
    await admit(over(served.url), admitRequest(gang({ namespace }), { at, running }));
  await ask("2026-03-31T12:00:00Z", [runs("ns-a", 80), runs("ns-b", 2)]);
  // A day later: 12 hours of 80 GPUs in either month; of what has ended meanwhile ten minutes count.
  assertEquals((await ask("2026-04-01T12:00:00Z", [runs("ns-a", 80)])).verdict, "allow");
  assertEquals((await ask("2026-04-01T12:00:00Z", [runs("ns-a", 80)], "ns-b")).verdict, "allow");
  const waits = await ask("2026-04-01T12:31:00Z", [runs("ns-a", 80)]);
  assertEquals(
    waits.message,
    `budget of ns-a is used up until 2026-05-01: 1001.3 of 1000 hours of ${gpu}`,
  );
  // A clock that was set back is followed, and an answer to an older call changes nothing.
  await ask("2026-04-01T12:30:00Z", []);
  await ask("2026-04-01T12:31:00Z", [runs("ns-b", 6)], "ns-b");
  await ask("2026-04-01T00:00:00Z", [runs("ns-b", 6)], "ns-b");
  assertEquals((await ask("2026-04-01T00:11:00Z", [], "ns-b")).verdict, "wait");
});

Deno.test("a month's budget: what no amount is, or no length, is refused and spoils nothing", async () => {
  if (!await has("python3")) return;
  await using served = await serveBy(["python3", "-u", "examples/policies/month_budget.py"]);
  const facts = JSON.stringify(admitRequest(gang(), { running: [runs("default", 1)] }));
  const statusOf = async (body: string) => {
    const response = await fetch(`${served.url}/v1/admit`, { method: "POST", body });
    await response.body?.cancel();
    return response.status;
  };
  assertEquals(await statusOf(facts.replace(`"${gpu}":1`, `"${gpu}":1e400`)), 400);
  assertEquals(await statusOf(facts.replace(`"${gpu}":1`, `"${gpu}":NaN`)), 400);
  assertEquals(await statusOf(facts), 200);
});
