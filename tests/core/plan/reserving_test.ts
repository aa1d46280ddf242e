import { assertEquals } from "@std/assert";
import type { Demand } from "../../../shared/core/plan/demand.ts";
import { Looks } from "../../../shared/core/plan/looks.ts";
import { partOf } from "../../../shared/core/plan/part.ts";
import { Regions } from "../../../shared/core/plan/regions.ts";
import { reserveFor } from "../../../shared/core/plan/reserving.ts";
import { gang } from "../../support/facts.ts";
import { groundIn, members } from "../../support/rooms.ts";

/** A gang all of whose members look for room. */
function demandOf(name: string, count: number, gpu: number): Demand {
  const facts = gang({ name, minMember: count });
  const none = { placed: [], minResources: new Map(), evictsBelow: -Infinity };
  return { facts, candidates: members(count, { gpu }), needed: count, ...none };
}

Deno.test("reserveFor(): where one gang of a group can never have room nothing is kept for the others", () => {
  const [open, capacity] = [groundIn({ a: {}, b: {} }), groundIn({ a: { gpu: 2 }, b: { gpu: 2 } })];
  const composite = { name: "all", topology: {}, children: ["default/one", "default/other"] };
  const reserved = (...demands: Demand[]) => {
    const part = partOf(demands, { ground: open, composite });
    const uses = reserveFor(part, {
      open: new Regions(open, []),
      capacity: new Regions(capacity, []),
      looks: new Looks(),
    });
    return uses?.reduce((sum, { count }) => sum + count, 0);
  };
  assertEquals(reserved(demandOf("one", 1, 2), demandOf("other", 1, 3)), undefined);
  // The room of all nodes is still there for the next.
  assertEquals(reserved(demandOf("one", 1, 2), demandOf("other", 1, 2)), 2);
});
