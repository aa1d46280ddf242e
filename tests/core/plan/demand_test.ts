import { assertEquals, assertNotEquals } from "@std/assert";
import {
  type Demand,
  demandOf,
  ownOf,
  type PlannedGang,
  shapeOf,
  shortOfMinResources,
} from "../../../shared/core/plan/demand.ts";
import { type GangSpec, noMembers } from "../../../shared/core/gang/facts.ts";
import { members, resources } from "../../support/rooms.ts";

const spec: GangSpec = { namespace: "default", name: "a", minMember: 4, createdAt: "" };

/** A gang with two members on n1 and n2, of two GPUs each, and two that wait. */
function demand(known: Partial<PlannedGang> = {}, gang: Partial<GangSpec> = {}): Demand {
  const census = { ...noMembers, pending: 2, bound: 2 };
  return demandOf({
    facts: { gang: { ...spec, ...gang }, census, held: [] },
    candidates: members(2, { gpu: 2 }),
    placed: ["n1", "n2"].map((node) => ({ node, requests: resources({ gpu: 2 }) })),
    minResources: new Map(),
    evictsBelow: 0,
    ...known,
  }, { matchPolicy: "waiting-and-running" });
}

Deno.test("demand: SP-CR-3 SP-PF-10 what a gang's own members take counts for its minResources, and nothing that others take", () => {
  assertEquals(ownOf(demand()), resources({ gpu: 4 }));
  const rooms = [resources({ gpu: 3 })];
  const short = (gpu: number, known: Partial<PlannedGang> = {}, gang: Partial<GangSpec> = {}) =>
    shortOfMinResources(demand({ minResources: resources({ gpu }), ...known }, gang), rooms);
  assertEquals(short(7), undefined);
  assertEquals(short(8), { resource: "gpu", asks: 8, free: 7 });
  assertEquals(short(8, {}, { minMember: 3 }), { resource: "gpu", asks: 8, free: 7 });
  assertEquals(short(8, {}, { minMember: 2 }), undefined);
});

Deno.test("demand: gangs that need the same are of one shape, unless they ask for more than their members do", () => {
  const named = (name: string, known: Partial<PlannedGang> = {}) =>
    shapeOf(demand(known, { name }));
  assertEquals(named("a"), named("b"));
  const minResources = resources({ gpu: 8 });
  assertNotEquals(named("a", { minResources }), named("b", { minResources }));
});

Deno.test("demand: where siblings are matters to members that are not to share a node, and to no others", () => {
  const on = (node: string, exclusive?: readonly string[]) => {
    const [first, ...others] = members(2, { gpu: 2 });
    return shapeOf(demand({
      candidates: [{ ...first!, ...(exclusive && { exclusive }) }, ...others],
      placed: [{ node, requests: resources({ gpu: 2 }) }],
    }));
  };
  assertEquals(on("n1"), on("n2"));
  assertNotEquals(on("n1", ["another"]), on("n2", ["another"]));
});

Deno.test("demand: what has become of a role's members matters", () => {
  const { facts } = demand();
  const roles = [{ name: "ps", min: 2 }];
  const shape = (bound: number) => {
    const ps = { name: "ps", pending: 2, gated: 0, bound, succeeded: 0, held: 2 - bound };
    const known = { ...facts, gang: { ...spec, roles }, roles: [ps] };
    return shapeOf(demand({ facts: known }));
  };
  assertEquals(shape(1), shape(1));
  assertNotEquals(shape(1), shape(2));
});
