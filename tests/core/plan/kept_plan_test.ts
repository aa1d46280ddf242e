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

Deno.test("plan: one of a gang that has no use for room any more is given up", () => {
  const gang = (before?: Plan) => ({
    name: "g",
    members,
    group: { plan: before, isNeverWhole: before !== undefined },
  });
  const situation = (before?: Plan): Situation => ({
    nodes,
    gangs: [gang(before), { name: "other", members }],
    world: { nodes: "these" },
  });
  const before = planned(situation());
  assertEquals([before["g"]!.taken?.length, before["other"]!.taken], [2, undefined]);
  const { g, other } = planned(situation(before["g"]));
  assertEquals([g!.taken, other!.taken?.length], [undefined, 2]);
});

Deno.test("plan: one that places all members where they are wanted together stays as it is", () => {
  const gang = { name: "g", members, topology: { preferred: ["rack"] } };
  const situation = (plan?: Plan): Situation => ({
    nodes,
    gangs: [{ ...gang, group: { plan } }],
    world: { nodes: "these" },
  });
  const before = planned(situation())["g"]!;
  assertStrictEquals(planned(situation(before))["g"], before);
});

Deno.test("plan: one that was made is made anew where the gang would run into what is kept for another", () => {
  const taken = (node: string, count: number) => ({
    node,
    count,
    kind: "one",
    requests: new Map([["gpu", 1]]),
  });
  const other = {
    name: "other",
    members: [{ count: 1, gpus: 3 }],
    group: { reserved: { startsAt: now + 30_000, uses: [taken("a", 3)] } },
  };
  const runTime = { seconds: 60, source: "declared" as const };
  const long = (plan?: Plan) => ({
    name: "long",
    members: [{ count: 2 }],
    group: { runTime, plan },
  });
  const world = {
    nodes: "these",
    capacity: () => new Map([["a", new Map([["gpu", 3]])], ["b", new Map([["gpu", 2]])]]),
    ending: () => [{ id: "ends", endsAt: now + 30_000, uses: [taken("a", 1)] }],
    reservations: 2,
  };
  const before = planned({ nodes, gangs: [long()], world })["long"]!;
  const placesBeside = (...others: Situation["gangs"]) => {
    const { taken } = planned({ nodes, gangs: [...others, long(before)], world })["long"]!;
    return taken?.map(({ node, count }) => [node, count]);
  };
  assertEquals(placesBeside(), [["a", 2]]);
  assertEquals(placesBeside(other), [["b", 2]]);
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

Deno.test("plan: members that differ stay where they were to go while the nodes take all of them there", () => {
  const use = (role: string, gpus: number, node: string) => ({
    node,
    role,
    count: 1,
    kind: JSON.stringify([gpus, undefined]),
    requests: new Map([["gpu", gpus]]),
  });
  const gang = (...before: ReturnType<typeof use>[]) => ({
    name: "g",
    members: [{ count: 2, gpus: 2, role: "big" }, { count: 1, role: "small" }],
    minMember: 2,
    roles: [{ name: "big", min: 1 }, { name: "small", min: 1 }],
    group: { before },
  });
  const placesAfter = (...before: ReturnType<typeof use>[]) => {
    const { g } = planned({ nodes: { a: "2", b: "2" }, gangs: [gang(...before)] });
    return g!.taken!.map(({ role, node }) => `${role} on ${node}`).sort();
  };
  const places = [use("big", 2, "a"), use("big", 2, "b"), use("small", 1, "a")];
  assertEquals(placesAfter(...places), ["big on b", "small on a"]);
  // A node is gone: all are looked for anew, where they fill nodes best.
  assertEquals(placesAfter(...places, use("small", 1, "gone")), ["big on a", "small on b"]);
});

Deno.test("plan: an earlier start that was looked for in vain is looked for again where as much is not to spare any more", () => {
  const two = (node: string) => [{
    node,
    count: 1,
    kind: "two",
    requests: new Map([["gpu", 2]]),
  }];
  const startsAfter = (vain: { at: number; spare: number }) => {
    const { g } = planned({
      nodes: { a: "0", b: "0" },
      gangs: [{
        name: "g",
        members: [{ count: 1, gpus: 2 }],
        group: { reserved: { startsAt: now + 60_000, uses: two("a"), vain } },
      }],
      world: {
        capacity: () => new Map(["a", "b"].map((node) => [node, new Map([["gpu", 2]])])),
        reservations: 2,
        ending: () => [
          { id: "x", endsAt: now + 60_000, uses: two("a") },
          { id: "y", endsAt: now + 30_000, uses: two("b") },
        ],
      },
    });
    return (g!.reservation!.startsAt - now) / 1000;
  };
  assertEquals(startsAfter({ at: now + 30_000, spare: 0 }), 60);
  assertEquals(startsAfter({ at: now + 30_000, spare: 1 }), 30);
});
