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
];

checkPlans(rows);
