import { deepStrictEqual as assertEquals } from "node:assert";
import policy, { type Gang } from "./skeleton.ts";

function gang(name: string, more: Partial<Gang> = {}): Gang {
  return { namespace: "default", name, minMember: 2, createdAt: "2026-03-02T11:00:00Z", ...more };
}

// deno-lint-ignore no-explicit-any -- each stage answers something else
async function ask(stage: string, body: unknown): Promise<any> {
  const response = await policy.fetch(
    new Request(`http://policy/v1/${stage}`, { method: "POST", body: JSON.stringify(body) }),
  );
  assertEquals(response.status, 200);
  return await response.json();
}

Deno.test("skeleton: a higher priority goes first, then the older gang", async () => {
  const units = [
    { gang: gang("young", { createdAt: "2026-03-02T11:30:00Z" }), priority: 0 },
    { gang: gang("old"), priority: 0 },
    { gang: gang("high", { createdAt: "2026-03-02T11:45:00Z" }), priority: 5 },
  ].map((unit) => ({ ...unit, id: `default/${unit.gang.name}`, queuedAt: unit.gang.createdAt }));
  const { keys } = await ask("queue-sort", { units });
  const sorted = keys.sort((a: { key: string }, b: { key: string }) => a.key < b.key ? -1 : 1);
  assertEquals(sorted.map(({ id }: { id: string }) => id), [
    "default/high",
    "default/old",
    "default/young",
  ]);
});

Deno.test("skeleton: a gang that is not paid for waits", async () => {
  const may = (gang: Gang) => ask("admit", { gangs: [{ gang }] });
  assertEquals((await may(gang("a"))).verdict, "allow");
  const waits = await may(gang("b", { attributes: { paid: "no" } }));
  assertEquals([waits.verdict, waits.reason], ["wait", "Unpaid"]);
});
