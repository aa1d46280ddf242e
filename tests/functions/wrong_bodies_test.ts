import { assert, assertEquals, assertLess } from "@std/assert";
import { at, gang, group } from "../support/facts.ts";
import { Service } from "./service.ts";

const fine = group(gang({ minMember: 2, held: 1, pending: 1 }));
const spec = fine.gangs[0]!.gang;

/** Facts with one list full of so many of these. */
function full(field: string, value: unknown, count: number): unknown {
  const [facts] = fine.gangs;
  const list = Array(count).fill(value);
  switch (field) {
    case "gangs":
      return { ...fine, gangs: list };
    case "held":
      return { ...fine, gangs: [{ ...facts, held: list }] };
    case "groups":
      return { ...fine, gangs: [{ ...facts, gang: { ...spec, groups: list } }] };
    default:
      return { ...fine, [field]: list };
  }
}

function nested(open: string, close: string, depth: number): string {
  return `{"relay":{"id":"r","epoch":1},"gangs":${open.repeat(depth)}1${close.repeat(depth)}}`;
}

const amounts = (count: number, amount: unknown) =>
  Object.fromEntries(Array.from({ length: count }, (_, index) => [`r${index}`, amount]));
const needing = (minResources: unknown) =>
  group({ ...fine.gangs[0]!, gang: { ...spec, minResources } as typeof spec });
const unit = { id: "x", priority: 0, queuedAt: at(0) };

const bodies: [what: string, stage: string, body: unknown][] = [
  ["100,000 wrong gangs", "permit", full("gangs", 0, 100_000)],
  ["100,000 wrong members", "permit", full("held", 0, 100_000)],
  ["500,000 wrong members", "permit", full("held", 0, 500_000)],
  ["10,000 members without anything", "permit", full("held", {}, 10_000)],
  ["members without anything, of 10 gangs", "permit", {
    ...fine,
    gangs: Array(10).fill({ ...fine.gangs[0], held: Array(7_000).fill({}) }),
  }],
  ["100,000 wrong names of a group", "permit", full("groups", 0, 100_000)],
  ["100,000 wrong units", "queue-sort", full("units", 0, 100_000)],
  ["1,900,000 wrong units", "queue-sort", full("units", 0, 1_900_000)],
  ["1,300,000 units without anything", "queue-sort", full("units", {}, 1_300_000)],
  ["400,000 units without a gang", "queue-sort", full("units", { gang: {} }, 400_000)],
  ["60,000 good units", "queue-sort", full("units", unit, 60_000)],
  ["10,001 good units", "queue-sort", full("units", unit, 10_001)],
  ["1,900,000 wrong failures", "postfilter", full("failed", 0, 1_900_000)],
  ["1,900,000 wrong losses", "unreserve", full("lost", 0, 1_900_000)],
  ["10,001 held members", "permit", group(gang({ minMember: 10_001, held: 10_001 }))],
  [
    "10,002 held members of two gangs",
    "permit",
    group(gang({ name: "a", held: 5_001 }), gang({ name: "b", held: 5_001 })),
  ],
  ["300,000 resources", "prefilter", needing(amounts(300_000, "1"))],
  ["100,000 wrong resources", "prefilter", needing(amounts(100_000, 1))],
  ["a resource of a long name", "prefilter", needing({ ["x".repeat(3_900_000)]: "1" })],
  ["a long time", "permit", {
    ...fine,
    gangs: [{
      ...fine.gangs[0],
      gang: { ...spec, createdAt: `${at(0).slice(0, -1)}${"1".repeat(3e6)}Z` },
    }],
  }],
  ["a long number", "permit", `{"relay":{"id":"r","epoch":${"9".repeat(3_900_000)}}}`],
  ["a long text that does not end", "permit", `{"relay":"${'\\"'.repeat(1_900_000)}`],
  ["arrays in arrays", "permit", nested("[", "]", 1_900_000)],
  ["objects in objects", "permit", nested('{"a":', "}", 500_000)],
  ["objects in objects of an unknown field", "permit", {
    ...fine,
    unknown: JSON.parse(`${'{"a":'.repeat(1_000)}1${"}".repeat(1_000)}`),
  }],
  ["brackets alone", "permit", "[".repeat(3_900_000)],
];

Deno.test("functions: whatever is wrong with a body, the answer is short, and no 5xx", async (t) => {
  await using service = new Service();
  for (const [what, stage, body] of bodies) {
    await t.step(what, async () => {
      const answer = await service.post(`/v1/${stage}`, body);
      assert(answer.status === 400 || answer.status === 413, `${answer.status}`);
      assertEquals(answer.type, "application/problem+json");
      assertLess(JSON.stringify(answer.body).length, 20_000);
      assertLess(answer.body.errors?.length ?? 0, 101);
    });
  }
});

Deno.test("functions: of many bad fields a hundred are named", async () => {
  await using service = new Service();
  const { status, body } = await service.post("/v1/queue-sort", full("units", {}, 50));
  assertEquals([status, body.errors.length], [400, 100]);
  assertEquals(body.errors.at(-1).path, "units[33].id");
});

Deno.test("functions: a list that is too long is named, and nothing in it", async () => {
  await using service = new Service();
  for (
    const [stage, field, path] of [
      ["permit", "gangs", "gangs"],
      ["permit", "held", "gangs[0].held"],
      ["permit", "groups", "gangs[0].gang.groups"],
      ["postfilter", "failed", "failed"],
      ["unreserve", "lost", "lost"],
      ["queue-sort", "units", "units"],
    ]
  ) {
    const { status, body } = await service.post(`/v1/${stage}`, full(field!, 0, 10_001));
    assertEquals([status, body.errors.map((error: { path: string }) => error.path)], [400, [path]]);
  }
});

Deno.test("functions: ten thousand members may be held, be lost, fail or queue", async () => {
  await using service = new Service();
  const members = Array.from({ length: 10_000 }, (_, index) => ({
    namespace: "default",
    name: `train-worker-${index}`,
    uid: crypto.randomUUID(),
    node: `ip-10-0-${index % 256}-17.eu-central-1.compute.internal`,
  }));
  const half = gang({ minMember: 10_000, held: 5_000 });
  const calls: [stage: string, body: unknown][] = [
    ["permit", group({ ...gang({ minMember: 10_000 }), held: members })],
    ["unreserve", {
      ...group(gang({ minMember: 10_000, pending: 10_000 })),
      lost: members.map((pod) => ({ pod, cause: "aborted", gang: "default/a" })),
    }],
    ["postfilter", {
      ...group(half),
      failed: members.map(({ uid, name }) => ({
        uid,
        name,
        message: "no room",
        gang: "default/a",
      })),
    }],
    ["queue-sort", {
      units: members.map(({ name, uid }) => ({
        ...unit,
        id: name,
        gang: { ...spec, name, uid },
        bound: 0,
      })),
    }],
  ];
  for (const [stage, body] of calls) {
    const answer = await service.post(`/v1/${stage}`, body);
    assertEquals(answer.status, 200, `${stage}: ${JSON.stringify(answer.body).slice(0, 300)}`);
  }
});
