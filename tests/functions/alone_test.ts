import { assert, assertEquals, assertStringIncludes } from "@std/assert";
import { at, gang, group, pod } from "../support/facts.ts";
import { ServingChild } from "./child.ts";

const facts = group(gang({ minMember: 2, held: 1, pending: 1 }));

const stages: [file: string, path: string, body: unknown, field: string][] = [
  ["queue_sort", "/v1/queue-sort", { units: [{ id: "x", priority: 0, queuedAt: at(0) }] }, "keys"],
  ["prefilter", "/v1/prefilter", facts, "verdict"],
  ["permit", "/v1/permit", facts, "verdict"],
  ["postfilter", "/v1/postfilter", { ...facts, failed: [] }, "verdict"],
  [
    "unreserve",
    "/v1/unreserve",
    { ...facts, lost: [{ pod: pod("x"), cause: "aborted" }] },
    "verdict",
  ],
  ["admit", "/v1/admit", facts, "verdict"],
  ["gangs", "/v1/gangs", undefined, "gangs"],
];

/** Serves a module as whoever deploys it alone does. */
async function serve(
  file: string,
  child: ServingChild,
  vars: Record<string, string> = {},
): Promise<void> {
  const address = ["--host", "127.0.0.1", "--port", "0"];
  await child.start(["serve", "-A", "--no-check", ...address, file], vars);
}

for (const [file, path, body, field] of stages) {
  Deno.test(`functions: ${file} is a whole app that runs alone`, async () => {
    await using child = new ServingChild();
    await serve(`functions/${file}.ts`, child);
    assert(field in await child.ask(path, body), field);
    const paths = Object.keys((await child.ask("/openapi.json")).paths);
    assertEquals(paths[0], path);
    assertEquals((await child.ask("/v1/nothing")).status, 404);
    const objects = await Array.fromAsync(Deno.readDir(child.store), ({ name }) => name);
    assert(objects.includes("alarms.sqlite"), objects.join(", "));
  });
}

Deno.test("page: is a whole app that runs alone", async () => {
  await using child = new ServingChild();
  await serve("page/page.ts", child);
  const response = await fetch(child.url);
  assertEquals([response.status, response.url], [200, `${child.url}/page`]);
  assertStringIncludes(await response.text(), "No gang yet");
});

const token = "a".repeat(32);
const variables: [
  what: string,
  vars: Record<string, string>,
  credential: string,
  status: number,
][] = [
  ["no credential", { MUSTER_TOKENS: `{"east":["${token}"]}` }, "", 401],
  ["a token", { MUSTER_TOKENS: `{"east":["${token}"]}` }, `Bearer ${token}`, 200],
  ["a profile that is none", { MUSTER_PROFILE: "nonsense" }, "", 503],
];

for (const [what, vars, authorization, status] of variables) {
  Deno.test(`functions: one that runs alone reads its variables: ${what} is a ${status}`, async () => {
    await using child = new ServingChild();
    await serve("functions/permit.ts", child, vars);
    const response = await fetch(`${child.url}/v1/permit`, {
      method: "POST",
      headers: { "content-type": "application/json", ...(authorization && { authorization }) },
      body: JSON.stringify(facts),
    });
    assertEquals(response.status, status, await response.text());
  });
}
