import { assert, assertEquals, assertStringIncludes } from "@std/assert";
import { at, gang, group, pod, together } from "../support/facts.ts";
import { type Answer, Service } from "./service.ts";

const fine = group(gang({ minMember: 2, held: 1, pending: 1 }));
const stages = ["/v1/queue-sort", "/v1/prefilter", "/v1/permit", "/v1/postfilter", "/v1/unreserve"];

/** The facts with one value at a path changed; undefined: the field left out. */
function changed(path: string, value: unknown, body: unknown = fine): unknown {
  const copy = structuredClone(body) as Record<string, unknown>;
  const keys = path.split(/[.[\]]+/).filter((key) => key !== "");
  let at: Record<string, unknown> = copy;
  for (const key of keys.slice(0, -1)) at = at[key] as Record<string, unknown>;
  at[keys.at(-1)!] = value;
  return copy;
}

function assertProblem(answer: Answer, status: number): void {
  assertEquals([answer.status, answer.type], [status, "application/problem+json"]);
  assertEquals(answer.body.status, status);
  for (const field of ["type", "title", "detail"]) {
    assertEquals(typeof answer.body[field], "string");
  }
}

const lost = [{ pod: pod("x"), cause: "aborted" }];
const failed = [{ uid: "x", message: "no room" }];
const units = [{ id: "x", priority: 0, queuedAt: at(0) }];

const changedResources = changed("gangs[0].gang.minResources", {});
const long = (i: number) => `${i}`.padStart(160, "n");

const cases: [stage: string, path: string, value: unknown, body?: unknown][] = [
  ["permit", "relay", undefined],
  ["permit", "relay.id", ""],
  ["permit", "relay.epoch", -1],
  ["permit", "relay.epoch", 1.5],
  ["permit", "relay.epoch", "1"],
  ["permit", "gangs", undefined],
  ["permit", "gangs", []],
  ["permit", "gangs", {}],
  ["permit", "gangs", Array(101).fill(fine.gangs[0])],
  ["permit", "gangs[0].gang", null],
  ["permit", "gangs[0].gang.namespace", ""],
  ["permit", "gangs[0].gang.name", undefined],
  ["permit", "gangs[0].gang.name", "x".repeat(254)],
  ["permit", "gangs[0].gang.name", "B/../c"],
  ["permit", "gangs[0].gang.name", "-a"],
  ["permit", "gangs[0].gang.namespace", "A B"],
  ["permit", "gangs[0].gang.namespace", "x".repeat(64)],
  ["permit", "gangs[0].gang.minMember", 0],
  ["permit", "gangs[0].gang.minMember", 2.5],
  ["permit", "gangs[0].gang.minMember", "five"],
  ["permit", "gangs[0].gang.totalMember", 0],
  ["permit", "gangs[0].gang.mode", "strict"],
  ["permit", "gangs[0].gang.waitSeconds", 0],
  ["permit", "gangs[0].gang.waitSeconds", -5],
  ["permit", "gangs[0].gang.waitSeconds", 1e300],
  ["permit", "gangs[0].gang.matchPolicy", "always"],
  ["permit", "gangs[0].gang.groups[0]", "not-a-gang", changed("gangs[0].gang.groups", ["a/b"])],
  ["permit", "gangs[0].gang.groups[1]", "a/b/c", changed("gangs[0].gang.groups", ["a/b", "c/d"])],
  ["permit", "gangs[0].gang.groups[0]", "A B/c", changed("gangs[0].gang.groups", ["a/b"])],
  ["permit", "gangs[0].gang.groups", Array.from({ length: 101 }, (_, i) => `a/${i}`)],
  ["permit", "gangs[0].gang.groups", Array.from({ length: 99 }, (_, i) => `a/${long(i)}`)],
  ["permit", "gangs[0].gang.minResources.cpu", "1".repeat(65), changedResources],
  [
    "permit",
    "gangs[0].gang.minResources",
    Object.fromEntries(Array.from({ length: 33 }, (_, i) => [`r${i}`, "1"])),
  ],
  ["permit", "gangs[0].problem", { reason: "InvalidName", message: "x".repeat(1001) }],
  ["permit", "gangs[0].gang.minResources.cpu", 5, changedResources],
  ["permit", "gangs[0].gang.priority", 2 ** 31],
  ["permit", "gangs[0].gang.createdAt", "yesterday"],
  ["permit", "gangs[0].gang.createdAt", "2026-02-30T00:00:00Z"],
  ["permit", "gangs[0].gang.createdAt", "2026-02-20T00:00:00+0100"],
  ["permit", "gangs[0].census", undefined],
  ["permit", "gangs[0].census.pending", -1],
  ["permit", "gangs[0].census.bound", null],
  ["permit", "gangs[0].held", undefined],
  ["permit", "gangs[0].held[0].uid", ""],
  ["permit", "gangs[0].held[0].name", 7],
  ["permit", "gangs[0].problem", {}, undefined],
  ["permit", "gangs[0].parked", "true"],
  ["prefilter", "fit", { members: 1 }],
  ["prefilter", "fit", { members: -1, of: 2 }],
  ["prefilter", "ahead", { gang: "a", since: at(0) }],
  ["prefilter", "ahead", { gang: "a/b", since: "now" }],
  ["prefilter", "ahead", { gang: "a/b/../c", since: at(0) }],
  ["prefilter", "fit", { members: 1, of: 2, shortOf: "x".repeat(318) }],
  ["postfilter", "failed", undefined, { ...fine, failed }],
  ["postfilter", "failed[0].uid", undefined, { ...fine, failed }],
  ["postfilter", "failed[0].message", "x".repeat(1001), { ...fine, failed }],
  ["postfilter", "failed[0].gang", "x", { ...fine, failed }],
  ["unreserve", "lost", [], { ...fine, lost }],
  ["unreserve", "lost[0].cause", "bored", { ...fine, lost }],
  ["unreserve", "lost[0].pod.namespace", undefined, { ...fine, lost }],
  ["queue-sort", "units", undefined, { units }],
  ["queue-sort", "units[0].priority", 0.5, { units }],
  ["queue-sort", "units[0].queuedAt", "2026-01-01", { units }],
  ["queue-sort", "units[0].gang", {}, { units }],
];

Deno.test("functions: a bad field is a 400 that names it", async (t) => {
  await using service = new Service();
  for (const [stage, path, value, body = fine] of cases) {
    const shown = JSON.stringify(value)?.slice(0, 40) ?? "nothing";
    await t.step(`${stage}: ${path} is ${shown}`, async () => {
      const answer = await service.post(`/v1/${stage}`, changed(path, value, body));
      assertProblem(answer, 400);
      const paths: string[] = answer.body.errors.map((error: { path: string }) => error.path);
      assert(paths.length > 0 && paths.every((at) => at.startsWith(path)), paths.join(", "));
    });
  }
});

Deno.test("functions: the longest name that a gang can be declared by is taken by every stage", async () => {
  await using service = new Service();
  const namespace = "n".repeat(63);
  const name = "x".repeat(253);
  const id = `${namespace}/${name}`;
  const facts = group(gang({ namespace, name, minMember: 2, pending: 2, groups: [id] }));
  const spec = facts.gangs[0]!.gang;
  const gone = { pod: { namespace, name, uid: id }, cause: "gone", gang: id };
  const bodies = [
    { units: [{ id, gang: spec, priority: 0, queuedAt: at(0) }] },
    { ...facts, ahead: { gang: id, since: at(0) } },
    facts,
    { ...facts, failed: [{ ...failed[0], gang: id }] },
    { ...facts, lost: [gone] },
  ];
  for (const [index, stage] of stages.entries()) {
    const { status, body } = await service.post(stage, bodies[index]);
    assertEquals(status, 200, JSON.stringify(body));
  }
  assertEquals((await service.request("/v1/gangs")).body.gangs, []);
});

Deno.test("functions: every bad field is named, not only the first", async () => {
  await using service = new Service();
  const body = changed("gangs[0].gang.minMember", 0, changed("relay.epoch", "x"));
  const { body: problem } = await service.post("/v1/permit", body);
  assertEquals(problem.errors.map((error: { path: string }) => error.path), [
    "relay.epoch",
    "gangs[0].gang.minMember",
  ]);
});

Deno.test("functions: a member may be held once, and a gang told once", async () => {
  await using service = new Service();
  const twice = [
    group(gang({ minMember: 2, held: ["x", "x"] })),
    together(gang({ held: ["x"] }), gang({ name: "b", held: ["x"] })),
    group(gang({ minMember: 2, held: ["x"] }), gang({ minMember: 2, held: ["y"] })),
  ];
  for (const body of twice) assertProblem(await service.post("/v1/permit", body), 400);
});

Deno.test("functions: bodies that are no JSON are a 400 on every stage", async () => {
  await using service = new Service();
  const bodies = [
    "",
    "{",
    "nope",
    "[1,",
    JSON.stringify(fine).slice(0, -20),
    "null",
    "[]",
    "7",
    '"x"',
  ];
  for (const stage of stages) {
    for (const body of bodies) assertProblem(await service.post(stage, body), 400);
    assertProblem(await service.request(stage, { method: "POST" }), 400);
  }
});

Deno.test("functions: a body that does not say it is JSON is a 415 on every stage", async () => {
  await using service = new Service();
  const body = JSON.stringify(fine);
  for (const stage of stages) {
    for (const type of ["application/x-www-form-urlencoded", "text/plain", "multipart/form-data"]) {
      assertProblem(await service.post(stage, body, { "content-type": type }), 415);
    }
    const bare = { method: "POST", body: new TextEncoder().encode(body) };
    const problem = await service.request(stage, bare);
    assertProblem(problem, 415);
    assertStringIncludes(problem.body.detail, 'send content-type "application/json"');
  }
});

Deno.test("functions: a body over the limit is a 413, with and without a length", async () => {
  await using service = new Service();
  const body = JSON.stringify({ ...fine, padding: "x".repeat(4 * 1024 * 1024) });
  const type = { "content-type": "application/json" };
  const length = { "content-length": `${body.length}` };
  for (const stage of stages) {
    assertProblem(await service.post(stage, body, length), 413);
    const stream = new Blob([body]).stream();
    assertProblem(
      await service.request(stage, { method: "POST", headers: type, body: stream }),
      413,
    );
  }
});

Deno.test("functions: facts of ten thousand members are not over the limit", async () => {
  await using service = new Service();
  const held = Array.from({ length: 10_000 }, () => crypto.randomUUID());
  const { status, body } = await service.post(
    "/v1/permit",
    group(gang({ minMember: 10_000, held })),
  );
  assertEquals([status, body.allow?.length], [200, 10_000]);
});

Deno.test("functions: what does not exist is a 404 that says where to look", async () => {
  await using service = new Service();
  const requests: [method: string, path: string][] = [
    ["POST", "/v1/permits"],
    ["POST", "/"],
    ["GET", "/v1/permit"],
    ["DELETE", "/v1/permit"],
    ["PUT", "/v1/queue-sort"],
    ["POST", "/v1/gangs"],
    ["GET", "/v2/gangs"],
    ["GET", "/v1/gangs/default"],
    ["GET", "/v1/gangs/default/a/b"],
  ];
  for (const [method, path] of requests) {
    const answer = await service.request(path, { method });
    assertProblem(answer, 404);
    assertEquals(
      answer.body.detail,
      `Nothing answers ${method} "${path}": see /openapi.json for what does`,
    );
  }
});

Deno.test("functions: a cluster has a plain name", async () => {
  await using service = new Service();
  for (const cluster of ["", "a b", "a|b", "a/b", "x".repeat(64), "é"]) {
    for (const path of ["/v1/permit", "/v1/gangs"]) {
      const answer = path === "/v1/gangs"
        ? await service.request(path, { headers: { "x-muster-cluster": cluster } })
        : await service.post(path, fine, { "x-muster-cluster": cluster });
      assertProblem(answer, 400);
      assertStringIncludes(answer.body.detail, "x-muster-cluster");
    }
  }
});
