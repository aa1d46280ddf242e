import { assertEquals } from "@std/assert";
import { steeringOf } from "../../../shared/core/plan/steering.ts";
import type { Topology } from "../../../shared/core/gang/topology.ts";
import { gang } from "../../support/facts.ts";

/** How much hangs on places for a gang of such a topology, with members of so many kinds, in roles or not. */
function steering(
  { topology, kinds = 1, hasRoles = false }: {
    topology?: Topology;
    kinds?: number;
    hasRoles?: boolean;
  },
) {
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
  const demand = {
    facts: { ...facts, gang: spec },
    candidates,
    placed: [],
    minResources: new Map(),
    evictsBelow: -Infinity,
    needed: 2,
  };
  return steeringOf([demand as never], undefined);
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
