import { assertEquals } from "@std/assert";
import { definePolicy } from "../../packages/policy/policy.ts";

const policy = definePolicy({ admit: () => ({ verdict: "allow" }) });
const gang = { namespace: "default", name: "a", minMember: 2, createdAt: "2026-01-01T00:00:00Z" };
const good = { gangs: [{ gang, census: { pending: 2 }, held: [] }] };

const bad: [body: string, wrong: string][] = [
  ["{", "the body is no JSON"],
  ["[]", "the body must be an object: current value is a list"],
  ["{}", 'field "gangs" is missing'],
  ['{"gangs":{}}', 'field "gangs" must be a list: current value is an object'],
  [
    JSON.stringify(good).replace('"minMember":2', '"minMember":"two"'),
    'field "gangs[0].gang.minMember" must be a number: current value is "two"',
  ],
  [
    JSON.stringify(good).replace('"pending":2', '"pending":1e400'),
    'field "gangs[0].census.pending" must be a number: current value is Infinity',
  ],
  [
    JSON.stringify({ ...good, at: [] }),
    'field "at" must be a text: current value is a list',
  ],
];

async function answer(body: string): Promise<{ status: number; detail?: string }> {
  const request = new Request("http://127.0.0.1/v1/admit", { method: "POST", body });
  const response = await policy.fetch(request);
  return { status: response.status, ...await response.json() };
}

for (const [body, wrong] of bad) {
  Deno.test(`@muster/policy refuses a call, and says why: ${wrong}`, async () => {
    const { status, detail } = await answer(body);
    assertEquals([status, detail], [400, `The call does not follow the contract: ${wrong}`]);
  });
}

Deno.test("@muster/policy answers a call that follows the contract", async () => {
  assertEquals((await answer(JSON.stringify(good))).status, 200);
});
