import { assertEquals, assertNotStrictEquals, assertStrictEquals } from "@std/assert";
import { plan } from "../../../shared/core/plan/planner.ts";
import type { Plan } from "../../../shared/core/plan/plan.ts";
import { now, planned, type Situation, worldOf } from "../../support/planned.ts";

const nodes = { a: "2", b: "2" };
const members = [{ count: 3 }];

/** The same world with the plan that was made there. */
function again(before: Plan, other: Partial<Situation["world"]> = {}): Plan {
  const gang = { name: "g", members, minMember: 2, group: { plan: before } };
  return plan(worldOf({ nodes, gangs: [gang], world: { nodes: "these", ...other } }), now)
    .byGroup.get("default/g")!;
}

const first = () =>
  planned({
    nodes,
    gangs: [{ name: "g", members, minMember: 2 }],
    world: { nodes: "these" },
  })["g"]!;

Deno.test("plan: one that was made stays as it is while it holds", () => {
  const before = first();
  assertEquals([before.taken, before.surplus].map((uses) => uses?.[0]?.count), [2, 1]);
  assertStrictEquals(again(before), before);
});

Deno.test("plan: one that was made on other nodes is made anew", () => {
  const before = first();
  assertNotStrictEquals(again(before, { nodes: "others" }), before);
});

Deno.test("plan: one that was made where gangs were counted otherwise is made anew", () => {
  const before = first();
  const anew = again(before, { settings: { matchPolicy: "only-waiting" } });
  assertNotStrictEquals(anew, before);
});

Deno.test("plan: one that does not hold any more is made anew", () => {
  const before = first();
  const free = new Map([["a", new Map([["gpu", 1]])], ["b", new Map([["gpu", 3]])]]);
  const anew = again(before, { free });
  assertEquals(anew.taken?.map(({ node, count }) => [node, count]), [["a", 1], ["b", 1]]);
});

Deno.test("plan: who has been passed for long enough goes ahead since then", () => {
  const waits = {
    name: "waits",
    members: [{ count: 1, gpus: 5 }],
    group: { shortSince: now - 90_000 },
  };
  const behind = { name: "behind", members: [{ count: 1, gpus: 2 }] };
  const capacity = () => new Map([["a", new Map([["gpu", 5]])]]);
  const world = { capacity, backfillMs: 60_000 };
  const { behind: plan } = planned({ nodes: { a: "2" }, gangs: [waits, behind], world });
  const since = new Date(now - 30_000).toISOString();
  assertEquals(plan?.ahead, { gang: "default/waits", since });
});
