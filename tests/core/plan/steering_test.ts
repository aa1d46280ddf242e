import { assertEquals } from "@std/assert";
import { haveAPreference, steeringOf } from "../../../shared/core/plan/steering.ts";
import type { Demand } from "../../../shared/core/plan/demand.ts";
import type { Topology } from "../../../shared/core/gang/topology.ts";
import { gang } from "../../support/facts.ts";

/** What a gang of such a topology needs, with members of so many kinds, in roles or not. */
function demandOf(
  { topology, kinds = 1, hasRoles = false }: {
    topology?: Topology;
    kinds?: number;
    hasRoles?: boolean;
  },
): Demand {
  const facts = gang({ minMember: 2, pending: 2 });
  const spec = {
    ...facts.gang,
    ...(topology && { topology }),
    ...(hasRoles && { roles: [{ name: "ps", min: 1 }] }),
  };
  const candidates = Array.from({ length: kinds }, (_, index) => ({
    kind: `${index}`,
    requests: new Map([["cpu", 1000]]),
    mayRunOn: () => true,
  }));
  return {
    facts: { ...facts, gang: spec },
    candidates,
    placed: [],
    minResources: new Map(),
    evictsBelow: -Infinity,
    needed: 2,
  };
}

/** How much hangs on its places. */
function steering(of: Parameters<typeof demandOf>[0]) {
  return steeringOf([demandOf(of)], undefined);
}

Deno.test("steeringOf() leaves members that are alike to the scheduler's own scores", () => {
  assertEquals(steering({}), "free");
});

Deno.test("steeringOf() sends members that differ, or that are wanted together, where planned", () => {
  assertEquals(steering({ kinds: 2 }), "planned");
  assertEquals(steering({ topology: { preferred: ["rack"] } }), "planned");
});

Deno.test("steeringOf() lets no member go elsewhere that must be with others, or could take another role's room", () => {
  assertEquals(steering({ topology: { required: "rack" } }), "strict");
  assertEquals(steering({ topology: { slice: { key: "rack", members: 2 } } }), "strict");
  assertEquals(steering({ hasRoles: true }), "strict");
});

Deno.test("steeringOf() of a gang is not what it was beside others", () => {
  const alone = demandOf({});
  assertEquals(steeringOf([alone, demandOf({ hasRoles: true })], undefined), "strict");
  assertEquals(steeringOf([alone], { name: "all", topology: {}, children: [] }), "strict");
  assertEquals(steeringOf([alone], undefined), "free");
  assertEquals(steeringOf([alone, demandOf({ hasRoles: true })], undefined), "strict");
});

Deno.test("haveAPreference(): one member of one gang is enough", () => {
  const none = demandOf({});
  const [first, ...others] = demandOf({ kinds: 2 }).candidates;
  const one = { ...none, candidates: [{ ...first!, hasPreference: true as const }, ...others] };
  const asked = [[none], [none, none], [none, one], [one]].map(haveAPreference);
  assertEquals(asked, [false, false, true, true]);
});
