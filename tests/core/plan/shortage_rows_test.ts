import { assertEquals } from "@std/assert";
import { planned } from "../../support/planned.ts";
import { checkPlans, type PlanRow } from "../../support/plan_rows.ts";

/** What is said of gangs that find no room. */
const rows: [row: PlanRow, plans: Record<string, string>][] = [
  [{
    nodes: "a 2 b1/r1, b 3 b1/r2, c 1 b1/r3",
    gangs: ["g0: 6x1, min 6, 3 per rack"],
  }, { "g0": "3 of 6; strict; nominate; needs room; rack r1 2, r3 1, r2 0" }],
  [{ nodes: "a 0+1 b1/r1", gangs: ["g0: 1x1:r0, min 1, r0>=0"] }, {
    "g0": "0 of 1; strict; nominate; policy 1; short of gpu; needs room",
  }],
  [{ nodes: "a 0 b1/r1", gangs: ["g0: 1x1, min 1"] }, {
    "g0": "0 of 1; short of gpu; not member; needs room; 1 of 0 possible",
  }],
  [{
    nodes: "a 0+1 b1/r1",
    gangs: ["g0: 1x1, min 1", "g1: 1x1:r0, min 1, r0>=0"],
    composite: { "name": "all", "children": ["default/g0", "default/g1"] },
  }, {
    "g0,g1":
      "0 of 2; strict; nominate; policy 1; short of gpu; not gang; needs room; 2 of 1 possible",
  }],
  [{ nodes: "a 0+1 b1/r1", gangs: ["g0: 1x1, min 1"], evicts: true }, {
    "g0": "0 of 1; evict a-0 for a 1; short of gpu; needs room",
  }],
  [{ nodes: "a 0 b1/r1", gangs: ["g0: 1x1:r0, min 2, r0>=0"] }, {
    "g0": "0 of 1; strict; nominate; short of gpu; not member; 1 of 0 possible",
  }],
  [{
    nodes: "a 0 b1/r1",
    gangs: ["g0: 1x1, min 1, in host, 1 per rack"],
    composite: { "name": "all", "min": 1, "children": ["default/g0"] },
  }, { "g0": "0 of 1; strict; nominate; not member; needs room; host a 0; 1 of 0 possible" }],
  [{ nodes: "a 0 b1/r1", gangs: ["g0: 1x1, min 1, in host, 1 per host"] }, {
    "g0": "0 of 1; strict; nominate; not member; needs room; host a 0; 1 of 0 possible",
  }],
  [{
    nodes: "a 0 b1/r1",
    gangs: ["g0: 1x1:r0, min 1, r0>=0"],
    composite: { "name": "all", "topology": { "required": "rack" }, "children": ["default/g0"] },
  }, {
    "g0":
      "0 of 1; strict; nominate; short of gpu; not member; needs room; rack r1 0; 1 of 0 possible",
  }],
  [{
    nodes: "a 0 b1/r1",
    gangs: ["g0: 1x1, min 1, 1 per rack"],
    composite: { "name": "all", "topology": { "required": "rack" }, "children": ["default/g0"] },
  }, { "g0": "0 of 1; strict; nominate; not member; needs room; rack r1 0; 1 of 0 possible" }],
  [{ nodes: "a 0+1 b1/r1", gangs: ["g0: 1x1:r0/r1, min 1, r0>=2, r0/r1>=1"] }, {
    "g0": "0 of 1; strict; nominate; short of gpu",
  }],
  [{
    nodes: "a 0 b1/r1",
    gangs: ["g0: 1x1:r0, min 2, r0>=1"],
    composite: { "name": "all", "children": ["default/g0"] },
  }, { "g0": "0 of 1; strict; nominate; short of gpu; not member; 1 of 0 possible" }],
  [{
    nodes: "a 0 b1/r1",
    gangs: ["g0: 2x1:r0, min 2, r0>=2", "g1: 1x1, min 1"],
    composite: { "name": "all", "min": 1, "children": ["default/g0", "default/g1"] },
  }, {
    "g0,g1": "0 of 1; strict; nominate; short of gpu; not member; needs room; 1 of 0 possible",
  }],
  [{ nodes: "a 0 b1/r1", gangs: ["g0: 1x1:r0, min 1, r0>=1, r1>=0"] }, {
    "g0": "0 of 1; strict; nominate; short of gpu; not member; needs room; 1 of 0 possible",
  }],
  [{ nodes: "a 0 b1/r1", gangs: ["g0: 2x1:r0, min 1, r0>=0"] }, {
    "g0": "0 of 1; strict; nominate; short of gpu; not member; needs room; 1 of 0 possible",
  }],
  [{ nodes: "a 0 b1/r1", gangs: ["g0: 1x1!, min 1"] }, {
    "g0": "0 of 1; short of gpu; not member; needs room; 1 of 0 possible",
  }],
  [{ nodes: "a 0+1 b1/r1", gangs: ["g0: 1x1, 1x2, min 2"] }, {
    "g0":
      "0 of 2; planned; nominate; policy 1; short of gpu; not member; needs room; 2 of 1 possible",
  }],
  [{ nodes: "a 0+1 b1/r1", gangs: ["g0: 1x1:r0, min 2, r0>=0"], evicts: true }, {
    "g0": "0 of 1; strict; nominate; short of gpu",
  }],
  [{ nodes: "a 2 b1/r1", gangs: ["g0: 2x2:r0, min 2, r0>=0"] }, {
    "g0": "1 of 2; strict; nominate; short of gpu; not gang; needs room; 4 of 2 possible",
  }],
  [{ nodes: "a 2 b1/r1", gangs: ["g0: 3x1, min 3, 3 per host"] }, {
    "g0": "0 of 3; strict; nominate; not gang; needs room; host a 2; 3 of 2 possible",
  }],
  [{ nodes: "a 0+2 b1/r1", gangs: ["g0: 1x1:r0, 1x1:r1, min 2, r0>=1, r1>=0"] }, {
    "g0": "0 of 2; strict; nominate; policy 2; short of gpu; needs room",
  }],
  [{ nodes: "a 2 b1/r1, b 0+2 b1/r1", gangs: ["g0: 2x2, min 2, 1 per host"] }, {
    "g0": "1 of 2; strict; nominate; policy 1; needs room; host a 0, b 0",
  }],
  [{ nodes: "a 1+1 b1/r1, b 4+2 b1/r1", gangs: ["g0: 3x3, 1x1, min 3, 2 per host"] }, {
    "g0": "2 of 3; strict; nominate; policy 1; needs room; host a 0, b 0",
  }],
  [{ nodes: "a 3 b1/r1, b 2+1 b1/r1", gangs: ["g0: 1x1, 4x3, min 3"] }, {
    "g0": "2 of 3; planned; nominate; short of gpu; not gang; needs room; 7 of 6 possible",
  }],
  [{ nodes: "a 0 b1/r1, b 2 b1/r1", gangs: ["g0: 2x2, min 2, in host, 2 per rack"] }, {
    "g0": "0 of 2; strict; nominate; not gang; needs room; host b 0, a 0; 4 of 2 possible",
  }],
  [{
    nodes: "a 4 b1/r1, b 2 b1/r3, c 3 b1/r3",
    gangs: ["g0: 2x1:r0/r1, 3x1:r0/r2, min 5, r0>=0 in host, r0/r1>=0 in host, r0/r2>=3, in rack"],
  }, { "g0": "1 of 5; strict; nominate; short of gpu; needs room; rack r1 1, r3 0" }],
  [{
    nodes: "a 0 b1/r1",
    gangs: ["g0: 1x1, min 2, has zz", "g1: 1x1, min 1"],
    composite: {
      "name": "all",
      "topology": { "required": "rack" },
      "children": ["default/g0", "default/g1"],
    },
  }, {
    "g0,g1":
      "0 of 1; strict; nominate; short of nodes that its members may run on; not member; needs room; 1 of 0 possible",
  }],
  [{ nodes: "a 0+2 b1/r1", gangs: ["g0: 2x2:r0, min 2, r0>=1"] }, {
    "g0": "0 of 2; strict; nominate; policy 1; short of gpu; not gang; needs room; 4 of 2 possible",
  }],
  [{ nodes: "a 1 b1/r1", gangs: ["g0: 1x1:r0/r1, 1x1:r0/r2, min 2, r0>=1, r0/r1>=1, r0/r2>=0"] }, {
    "g0": "1 of 2; strict; nominate; short of gpu; not gang; needs room; 2 of 1 possible",
  }],
  [{ nodes: "a 2 b1/r1", gangs: ["g0: 1x2, 2x1, min 3"] }, {
    "g0": "2 of 3; planned; nominate; short of gpu; not gang; needs room; 4 of 2 possible",
  }],
  [{ nodes: "a 3+2 b1/r1, b 3+2 b1/r2", gangs: ["g0: 2x2, 3x3, min 5, in block, 3 per rack"] }, {
    "g0": "0 of 5; strict; nominate; policy 4; not gang; needs room; block b1 0; 13 of 10 possible",
  }],
  [{ nodes: "a 3 b1/r1", gangs: ["g0: 1x1:r0, 1x2:r0, 1x1:r1, min 3, r0>=1, r1>=1 in host"] }, {
    "g0": "2 of 3; strict; nominate; short of gpu; not gang; needs room; 4 of 3 possible",
  }],
  [{
    nodes: "a 1 b1/r2, b 0+2 b1/r1",
    gangs: ["g0: 3x1:r0, 1x2:r0, 2x2:r1, min 4, r0>=1 1 per rack, r1>=2"],
  }, {
    "g0": "1 of 4; strict; nominate; policy 1; short of gpu; not gang; needs room; 5 of 3 possible",
  }],
  [{ nodes: "a 2 b1/r1", gangs: ["g0: 2x1!, min 2"] }, {
    "g0":
      "1 of 2; short of nodes that have no such member yet; not gang; needs room; 2 of 1 possible",
  }],
  [{ nodes: "a 0 b1/r1", gangs: ["g0: 1x1, min 1, in block"], levels: "block rack" }, {
    "g0":
      "0 of 1; strict; nominate; short of gpu; not member; needs room; block b1 0; 1 of 0 possible",
  }],
  [{ nodes: "a 0 b1/r1", gangs: ["g0: 1x1, min 1, in rack"], levels: "block rack" }, {
    "g0":
      "0 of 1; strict; nominate; short of gpu; not member; needs room; rack b1/r1 0; 1 of 0 possible",
  }],
  [{
    nodes: "a 0 b1/r1, b 2 b1/r1",
    gangs: ["g0: 1x1:r0, min 1, r0>=0, has r0@b", "g1: 1x3, min 1"],
    composite: { "name": "all", "children": ["default/g0", "default/g1"] },
  }, {
    "g0,g1": "0 of 1; strict; nominate; short of gpu; not member; needs room; 3 of 1 possible",
  }],
  [{
    nodes: "a 1+1/4 b1/r1",
    gangs: ["g0: 1x1, min 1", "g1: 1x2:r0, 2x2:r1, min 3, r0>=1, r1>=2"],
    composite: { "name": "all", "children": ["default/g0", "default/g1"] },
  }, { "g0,g1": "1 of 4; strict; nominate; short of gpu; not gang; needs room; 7 of 4 possible" }],
  [{ nodes: "a 0/2 b1/r1", gangs: ["g0: 1x2, 2x1, min 2"] }, {
    "g0": "0 of 2; planned; nominate; short of gpu; needs room",
  }],
  // Of what the scheduler refuses where there is room, and of room where there is none either.
  [{ nodes: "a 3, b 0", gangs: ["g0: 3x1, not a"] }, {
    "g0": "0 of 3; short of nodes that the scheduler takes its members on; needs room",
  }],
  [{ nodes: "a 3, b 1", gangs: ["g0: 3x1, not a"] }, {
    "g0": "1 of 3; short of nodes that the scheduler takes its members on; needs room",
  }],
  [{ nodes: "a 0/3, b 0", gangs: ["g0: 3x1, not a"] }, {
    "g0": "0 of 3; short of gpu; needs room",
  }],
  // What is refused now may be taken another time.
  [{ nodes: "a 2 b1/r1, b 1 b1/r2", gangs: ["g0: 2x1, in rack, not a"] }, {
    "g0": "1 of 2; strict; nominate; short of gpu; needs room; rack r2 1, r1 0",
  }],
  // Members beyond what roles need share the domain that theirs requires, too.
  [{ nodes: "a 1 b1/r1, b 1 b1/r1", gangs: ["g0: 2x1:r0, 1x2:r1, min 3, r0>=0 in host, r1>=1"] }, {
    "g0": "1 of 3; strict; nominate; short of gpu; not member; needs room; 2 of 1 possible",
  }],
];

checkPlans(rows);

Deno.test("plan: it is said whether room lacks for members, or for the minResources of their gang", () => {
  const isForMinResources = (gpu: number) => {
    const gang = { name: "g", members: [{ count: 1 }], minResources: { gpu } };
    return planned({ nodes: { a: "0" }, gangs: [gang] })["g"]!.fit.isForMinResources ?? false;
  };
  assertEquals([isForMinResources(0), isForMinResources(1)], [false, true]);
});

Deno.test("plan: of domains that are as near it is said what lacks in one that room will do for", () => {
  const members = [{ count: 2 }, { count: 1, on: /^c$/ }];
  const gang = { name: "g", members, topology: { required: "rack" } };
  const short = (first: string, second: string) =>
    planned({ nodes: { a: `5 b1/${first}`, c: `2 b1/${second}` }, gangs: [gang] })["g"]!.fit;
  for (const { members, shortOf } of [short("r1", "r2"), short("r2", "r1")]) {
    assertEquals([members, shortOf], [2, "gpu"]);
  }
});
