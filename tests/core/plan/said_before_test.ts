import { assertEquals, assertNotStrictEquals, assertStrictEquals } from "@std/assert";
import type { Plan } from "../../../shared/core/plan/plan.ts";
import { plan } from "../../../shared/core/plan/planner.ts";
import { orAsBefore } from "../../../shared/core/plan/said_before.ts";
import { now, planned, type Situation, worldOf } from "../../support/planned.ts";

const short: Plan = {
  fit: { members: 1, of: 3, shortOf: "gpu", leaving: { pods: 2, first: ["default/a"] } },
  isShort: true,
};
const uses = [{ node: "a", kind: "k", requests: new Map(), count: 3 }];

/** What a plan says beside that, or instead. */
const others: [what: string, more: Partial<Plan>][] = [
  ["another number of members", { fit: { ...short.fit, members: 2 } }],
  ["another resource", { fit: { ...short.fit, shortOf: "cpu" } }],
  ["one thing less", { fit: { members: 1, of: 3, shortOf: "gpu" } }],
  ["one thing more", { fit: { ...short.fit, byPreemption: 1 } }],
  ["others that leave", { fit: { ...short.fit, leaving: { pods: 2, first: ["default/b"] } } }],
  ["fewer that are named", { fit: { ...short.fit, leaving: { pods: 2, first: [] } } }],
  ["whom it waits for", { ahead: { gang: "default/first", since: "2026-01-01T00:00:00Z" } }],
  ["that room is not what lacks", { isShort: false }],
  ["where members are to go", { isPublished: true }],
  ["room that it takes", { taken: uses }],
  ["room that is kept for it", { reservation: { startsAt: now, uses } }],
];

Deno.test("plan: one that says what the last one said is that one", () => {
  assertStrictEquals(orAsBefore(structuredClone(short), short), short);
  const spelt = { ...structuredClone(short), fit: { ...short.fit, byPreemption: undefined } };
  assertStrictEquals(orAsBefore(spelt, short), short);
});

Deno.test("plan: one that takes room, or keeps some, is a new one, whatever the last one said", () => {
  for (const more of [{ taken: uses }, { reservation: { startsAt: now, uses } }]) {
    const again = { ...short, ...more };
    assertStrictEquals(orAsBefore(again, structuredClone({ ...short, ...more })), again);
  }
  assertStrictEquals(orAsBefore(short, undefined), short);
});

for (const [what, more] of others) {
  Deno.test(`plan: one that says ${what} is another`, () => {
    const other = { ...short, ...more };
    assertStrictEquals(orAsBefore(other, short), other);
    assertStrictEquals(orAsBefore(short, other), short);
  });
}

Deno.test("plan: a gang that finds what it found keeps its plan, however many nodes there are", () => {
  for (const count of [2, 1000]) {
    const nodes = Object.fromEntries(Array.from({ length: count }, (_, at) => [`n${at}`, "2"]));
    const gang = { name: "g", members: [{ count: 2, gpus: 4 }] };
    const before = planned({ nodes, gangs: [gang] })["g"]!;
    const again = (free: Situation["nodes"]) =>
      planned({ nodes: free, gangs: [{ ...gang, group: { plan: before } }] })["g"]!;
    assertStrictEquals(again(nodes), before);
    assertNotStrictEquals(again({ ...nodes, n0: "4" }), before);
  }
});

Deno.test("plan: the same gangs are planned by the settings of each plan, and on the room that there is", () => {
  const members = [{ count: 2 }];
  const gang = { name: "g", members, placed: ["b"], minMember: 2 };
  const settings = { matchPolicy: "waiting-and-running" } as const;
  const world = worldOf({ nodes: { a: "1" }, gangs: [gang], world: { settings } });
  const fits = (other: Partial<typeof world>) =>
    plan({ ...world, ...other }, now).byGroup.get("default/g")!.fit;
  const onlyWaiting = { matchPolicy: "only-waiting" } as const;
  assertEquals(fits({}), { members: 1, of: 1 });
  assertEquals(fits({ settings: onlyWaiting }).of, 2);
  assertEquals(fits({}), { members: 1, of: 1 });
  assertEquals(fits({ free: new Map([["a", new Map([["gpu", 0]])]]) }).members, 0);
});
