import { assertEquals } from "@std/assert";
import { plan } from "../../../shared/core/plan/planner.ts";
import { now, worldOf } from "../../support/planned.ts";
import { checkPlans, type PlanRow } from "../../support/plan_rows.ts";

/** Who gets the room that comes where gangs that run have lost members. */
const rows: [row: PlanRow, plans: Record<string, string>][] = [
  // The gang behind would take all of it.
  [{ nodes: "a 0, c 2", gangs: ["g0: 2x1, min 4, has a a, p2", "g1: 2x1, min 2, p1"] }, {
    g0: "0 of 0; at ; beside c 2; without 0",
    g1: "0 of 2; short of gpu; needs room",
  }],
  // Each comes back by itself, and beyond its minimum none goes before others.
  [{ nodes: "a 0, c 2", gangs: ["g0: 2x1, min 3, has a a", "g1: 1x1, min 1"] }, {
    g0: "0 of 0; at ; beside c 1; without 1",
    g1: "1 of 1; at c 1",
  }],
  [{ nodes: "a 0, c 1", gangs: ["g0: 2x1, min 4, has a a", "g1: 1x1, min 1"] }, {
    g0: "0 of 0; at ; beside c 1; without 1",
    g1: "0 of 1; short of gpu; needs room",
  }],
  [{ nodes: "a 0, c 2", gangs: ["g0: 2x1, min 2, has a a", "g1: 2x1, min 2"] }, {
    g0: "0 of 0; at ; beside ; without 2",
    g1: "2 of 2; at c 2",
  }],
  // Where its siblings run.
  [{
    nodes: "a 1 b1/r1, b 3 b1/r2",
    gangs: ["g0: 1x1, min 3, in rack, has a a", "g1: 1x1, min 1", "g2: 3x1, min 3"],
  }, {
    g0: "0 of 0; at ; beside a 1; without 0; strict; nominate",
    g1: "1 of 1; at b 1",
    g2: "2 of 3; short of gpu; needs room",
  }],
  // Of a role, too.
  [{
    nodes: "a 0, c 1",
    gangs: ["g0: 1x1:worker, min 3, ps>=1, worker>=2, has ps@a worker@a", "g1: 1x1, min 1"],
  }, {
    g0: "0 of 0; at ; beside c 1; without 0; strict; nominate; roles  beside worker@c 1",
    g1: "0 of 1; short of gpu; needs room",
  }],
  // Room is kept for one of them from when it comes, or from now on.
  [{
    nodes: "a 0, c 1/2",
    gangs: ["g0: 2x2, min 4, has a a", "g1: 1x1, min 1"],
    rule: "easy",
    ending: "x c1 60",
  }, {
    g0: "0 of 0; at ; beside ; without 2; from 1060000 at c 1; needs room; after default/x",
    g1: "1 of 1; behind default/g0; needs room",
    left: "a 0, c 0",
  }],
  [{
    nodes: "a 0, c 1/2",
    gangs: ["g0: 1x2, min 3, has a a", "g1: 1x1, min 1"],
    rule: "timed",
  }, {
    g0: "0 of 0; at ; beside ; without 1; needs room",
    g1: "1 of 1; behind default/g0; needs room",
    left: "a 0, c -1",
  }],
  // In a composite for one of the gang that lacks some.
  [{
    nodes: "a 0, c 1/2",
    gangs: ["g0: min 1, has a", "g1: 1x2, min 3, has a a"],
    composite: { name: "all", min: 1, children: ["default/g0", "default/g1"] },
    rule: "timed",
  }, {
    "g0,g1": "0 of 0; at ; beside ; without 1; strict; nominate; needs room",
    left: "a 0, c -1",
  }],
  // It keeps its place while it is let in.
  [{ nodes: "a 0, c 1", gangs: ["g0: 1x1, min 3, has a a, let-in 10", "g1: 1x1, min 1"] }, {
    g0: "0 of 0; at ; beside c 1; without 0",
    g1: "0 of 1; short of gpu; needs room",
  }],
];

checkPlans(rows);

Deno.test("plan: what a gang of a composite has lost goes before gangs behind, and not in the place of another gang's", () => {
  const nodes = { a: "0", c: "1" };
  const gang = (name: string, minMember: number) => (
    { name, minMember, members: [{ count: 1 }], placed: ["a"] }
  );
  for (const names of [["g0", "g1"], ["g1", "g0"]]) {
    const [whole = "", broken = ""] = names;
    const children = names.toSorted().map((name) => `default/${name}`);
    const gangs = names.toSorted().map((name) => gang(name, name === broken ? 2 : 1));
    const world = worldOf({ nodes, gangs, composite: { name: "all", min: 1, children } });
    const behind = worldOf({ nodes, gangs: [{ name: "behind", members: [{ count: 1 }] }] });
    const waiting = [...world.waiting, ...behind.waiting];
    const { byGroup } = plan({ ...world, waiting }, now);
    const [first, next] = waiting.map(({ id }) => byGroup.get(id)!);
    assertEquals(first!.surplus?.map(({ gang }) => gang), [`default/${broken}`], whole);
    assertEquals(next!.fit.members, 0);
  }
});
