import { assertEquals } from "@std/assert";
import { attendedSince } from "../../../shared/core/attend/attended.ts";
import type { Standing } from "../../../shared/core/attend/standing.ts";
import { verdictOn, whyGangLeftOut } from "../../../shared/core/attend/gang_verdict.ts";
import { followPlan, isGangLeftOut } from "../../../shared/core/attend/placement.ts";
import { attended, letIn, start } from "../../support/attending.ts";

const { placement } = attendedSince("default/a,default/b", 0);
const [a, b] = ["default/a", "default/b"] as const;
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

/** What the functions said of a group that starts without b. */
const why = {
  reason: "Admitted",
  message: "it may start",
  leftOut: { [b]: { reason: "LeftOut", message: "no room for b" } },
} as const;
const withoutB = followPlan(placement, { taken: [use], leftOut }, nobody);

/** What is known of the group, and what is said to a member of a gang of it. */
const told: [
  id: string,
  standing: Standing,
  places: typeof placement,
  gang: string,
  says?: string,
][] = [
  ["of a gang that has no place", letIn({ why }), withoutB, b, "no room for b"],
  ["of one that has places", letIn({ why }), withoutB, a],
  ["of one that has places again", letIn({ why }), placement, b],
  ["of which the functions said nothing", letIn(), withoutB, b],
  ["of a group that is refused", { phase: "refused", why, since: start }, withoutB, b],
  ["of a group that collects", { phase: "collecting" }, withoutB, b],
];

for (const [id, standing, places, gang, says] of told) {
  Deno.test(`left out: a member ${id} is told ${says ?? "nothing of it"}`, () => {
    const expected = says && { reason: "LeftOut", message: says };
    assertEquals(whyGangLeftOut({ standing, placement: places }, gang), expected);
    const verdict = verdictOn(attended({ standing, placement: places }), gang);
    const isRefused = standing.phase === "refused";
    assertEquals(
      [verdict?.verdict, verdict?.reason, verdict?.message],
      says
        ? ["reject", "LeftOut", says]
        : standing.phase === "collecting"
        ? [undefined, undefined, undefined]
        : [isRefused ? "reject" : "allow", "Admitted", standing.why.message],
    );
  });
}

Deno.test("left out: of a group that nobody attends to there is no verdict", () => {
  assertEquals(verdictOn(undefined, a), undefined);
});
