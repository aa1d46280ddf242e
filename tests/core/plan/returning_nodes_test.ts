import { assertEquals } from "@std/assert";
import { plan } from "../../../shared/core/plan/planner.ts";
import { resources } from "../../support/rooms.ts";
import { worldOf } from "../../support/planned.ts";

Deno.test("plan: the room of a node that has come back is given away once, whichever nodes go afterwards", () => {
  const one = resources({ gpu: 1 });
  const free = new Map([["a", one], ["b", one], ["c", one]]);
  const gangs = ["g0", "g1", "g2"].map((name) => ({ name, members: [{ count: 1 }] }));
  const planned = () => {
    const world = worldOf({ nodes: {}, gangs, world: { free, nodes: {}, capacity: () => free } });
    return [...plan(world, 0).byGroup.values()].map(({ taken }) => taken?.[0]?.node);
  };
  assertEquals(planned(), ["a", "b", "c"]);
  free.delete("b");
  assertEquals(planned(), ["a", "c", undefined]);
  free.set("b", one);
  assertEquals(planned().toSorted(), ["a", "b", "c"]);
  free.delete("c");
  assertEquals(planned().toSorted(), ["a", "b", undefined]);
});
