import { checkPlans, type PlanRow } from "../../support/plan_rows.ts";

/** Where gangs go. */
const rows: [row: PlanRow, plans: Record<string, string>][] = [
  [{ nodes: "a 1 b1/r1", gangs: ["g0: 1x1, min 1"] }, { "g0": "1 of 1; at a 1" }],
  [{ nodes: "a 1 b1/r1, b 1 b1/r1", gangs: ["g0: 1x1, min 1, before b1"] }, {
    "g0": "1 of 1; at b 1",
  }],
  [{ nodes: "a 0 b1/r1", gangs: ["g0: 1x1:r0/r1, min 1, r0>=2, r0/r1>=0, has r0/r1@zz"] }, {
    "g0": "0 of 0; strict; nominate",
  }],
  [{ nodes: "a 1 b1/r1", gangs: ["g0: 1x1, min 1, in host, 1 per host"] }, {
    "g0": "1 of 1; at a 1; strict; nominate",
  }],
  [{
    nodes: "a 1 b1/r1",
    gangs: ["g0: 1x1:r0, min 2, r0>=1"],
    composite: { "name": "all", "children": ["default/g0"] },
  }, { "g0": "1 of 1; strict; nominate" }],
  [{ nodes: "a 1 b1/r1, b 2 b1/r1", gangs: ["g0: 1x1, min 1, 1 per host"] }, {
    "g0": "1 of 1; at a 1; strict; nominate",
  }],
  [{
    nodes: "a 3 b1/r1, b 3 b1/r1, c 1 b2/r1",
    gangs: ["g0: 1x2:r0, 1x1:r1, 2x1:r2, min 4, r0>=0, r1>=1 in block, r2>=1 in host"],
  }, { "g0": "4 of 4; at a 1, a 2, b 1; strict; nominate; roles r1@a 1, r2@a 2, r0@b 1" }],
  [{ nodes: "a 2 b1/r1, b 1 b1/r1", gangs: ["g0: 1x1:r0, min 1, r0>=0, before a1"] }, {
    "g0": "1 of 1; at b 1; strict; nominate; roles r0@b 1",
  }],
  [{ nodes: "a 1 b1/r1", gangs: ["g0: 1x1:r0/r1, min 1, r0>=2, r0/r1>=1, in host"] }, {
    "g0": "0 of 1; strict; nominate",
  }],
  [{ nodes: "a 1 b1/r1", gangs: ["g0: 1x1:r0/r1, 1x2:r0/r1, min 1, r0>=2, r0/r1>=1"] }, {
    "g0": "0 of 1; strict; nominate",
  }],
  [{ nodes: "a 2 b1/r1, b 1 b1/r1", gangs: ["g0: 1x1!, min 1"] }, { "g0": "1 of 1; at b 1" }],
  // Members that had no place fill the nodes best, also in slices.
  [{ nodes: "a 3 b1/r1, b 1 b1/r1", gangs: ["g0: 3x1, 2 per rack, before a2"] }, {
    "g0": "3 of 3; at b 1, a 2; strict; nominate",
  }],
  [{ nodes: "a 1, b 2", gangs: ["g0: 2x1, min 1, before b1"] }, {
    "g0": "1 of 1; at b 1; beside a 1; without 0",
  }],
  // Whole slices come, wherever one of their members was to go.
  [{
    nodes: "a 1 b1/r1, b 2 b1/r2, c 0 b1/r3",
    gangs: ["g0: 2x1, min 2, 2 per rack, has c c, before a1"],
  }, { "g0": "0 of 0; at ; beside b 2; without 0; strict; nominate" }],
  // Members that shared no rack before share one now.
  [{
    nodes: "a 1 b1/r1, b 1 b1/r2, c 0 b1/r3",
    gangs: ["g0: 2x1:w, min 1, w>=0 in rack, has c, before w@a1 w@b1"],
  }, { "g0": "0 of 0; at ; beside a 1; without 1; strict; nominate; roles  beside w@a 1" }],
  // A member on a node in no rack keeps no other from being in one.
  [{ nodes: "a 0, b 1 b1/r1", gangs: ["g0: 1x1, in rack, has a"] }, {
    "g0": "0 of 0; at ; beside b 1; without 0; strict; nominate",
  }],
  // Where its sibling is, though another rack is tighter.
  [{ nodes: "a 1 b1/r1, b 1 b1/r2, c 1 b1/r1", gangs: ["g0: 1x1, min 2, near rack, has a"] }, {
    "g0": "0 of 0; at ; beside a 1; without 0; planned; nominate",
  }],
  // Members of a role that is to be in one rack are, also where none of it is needed by itself, and in roles within it.
  [{ nodes: "a 1 b1/r1, b 1 b1/r2", gangs: ["g0: 2x1:x/y, min 2, x>=0 in rack, x/y>=0"] }, {
    "g0": "1 of 2; strict; nominate; short of gpu; needs room",
  }],
  [{
    nodes: "a 1 b1/r1, b 1 b1/r2, c 2 b1/r3",
    gangs: ["g0: 2x1:x/y, min 2, x>=0 in rack, x/y>=0"],
  }, { "g0": "2 of 2; at c 2; strict; nominate; roles x/y@c 2" }],
  [{
    nodes: "a 1 b1/r1, b 1 b1/r2, c 1 b1/r3",
    gangs: ["g0: 2x1:x/y, 1x1:w, min 1, x>=0 in rack, x/y>=0, w>=1"],
  }, {
    "g0": "1 of 1; at a 1; beside b 1; without 1; strict; nominate; roles w@a 1 beside x/y@b 1",
  }],
];

checkPlans(rows);
