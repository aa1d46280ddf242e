import { assertEquals } from "@std/assert";
import { attendedSince } from "../../../shared/core/attend/attended.ts";
import { followPlan, isGangLeftOut } from "../../../shared/core/attend/placement.ts";

const { placement } = attendedSince("default/a,default/b", 0);
const nobody = { waits: () => true, comes: () => false };
const use = { node: "n1", kind: "k", gang: "default/a", requests: new Map(), count: 2 };
const leftOut = [{ part: "default/b", gangs: ["default/b"], fit: { members: 1, of: 2 } }];

Deno.test("left out: a group counts on the gangs that are planned, and on no other", () => {
  const { choice } = followPlan(placement, { taken: [use], leftOut }, nobody);
  assertEquals([...choice!.counted], ["default/a"]);
  assertEquals(choice!.leftOut, [{ part: "default/b", fit: { members: 1, of: 2 } }]);
});

Deno.test("left out: without room for what it needs a group starts with nobody else", () => {
  const before = followPlan(placement, { taken: [use], leftOut }, nobody);
  assertEquals(isGangLeftOut(followPlan(before, {}, nobody), "default/b"), true);
  const after = followPlan(before, { taken: [], surplus: [use], leftOut: [] }, nobody);
  assertEquals(isGangLeftOut(after, "default/b"), false);
});
