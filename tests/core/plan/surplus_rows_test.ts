import { checkPlans, type PlanRow } from "../../support/plan_rows.ts";

/** Where members go beside those that their gang needs. */
const rows: [row: PlanRow, plans: Record<string, string>][] = [
  [{ nodes: "a 0 b1/r1", gangs: ["g0: 1x1:r0, min 1, r0>=0, has r0@zz"] }, {
    "g0": "0 of 0; at ; beside ; without 1; strict; nominate",
  }],
  [{
    nodes: "a 0 b1/r1, b 0 b1/r1, c 1 b1/r1",
    gangs: ["g0: 1x1:r0/r1, min 1, r0>=0, r0/r1>=0, in rack, has r0/r1@zz r0@c"],
  }, { "g0": "0 of 0; at ; beside c 1; without 0; strict; nominate; roles  beside r0/r1@c 1" }],
  [{ nodes: "a 1 b1/r1", gangs: ["g0: 2x1:r0, min 2, r0>=2, has r0@a"] }, {
    "g0": "0 of 0; at ; beside a 1; without 1; strict; nominate; roles  beside r0@a 1",
  }],
  [{ nodes: "a 2 b1/r1", gangs: ["g0: 3x1:r0, 1x2:r0, min 3, r0>=3, has r0@b"] }, {
    "g0": "0 of 0; at ; beside a 2; without 2; strict; nominate; roles  beside r0@a 2",
  }],
  [{
    nodes: "a 1 b1/r1",
    gangs: ["g0: 2x1:r0, min 2, r0>=2, has r0@b", "g1: 1x1, 1x2, min 3, has zz"],
    composite: { "name": "all", "children": ["default/g0", "default/g1"] },
  }, { "g0,g1": "0 of 0; at ; beside a 1; without 3; strict; nominate; roles  beside r0@a 1" }],
  [{ nodes: "a 1 b1/r1", gangs: ["g0: 1x1:r0, 1x1:r1, 1x2:r1, min 1, r0>=0, r1>=0"] }, {
    "g0": "1 of 1; at a 1; beside ; without 2; strict; nominate; roles r1@a 1",
  }],
  [{ nodes: "a 1 b1/r1", gangs: ["g0: 1x1:r0, 1x1:r1, min 1, r0>=0, r1>=1, before a1"] }, {
    "g0": "1 of 1; at a 1; beside ; without 1; strict; nominate; roles r1@a 1",
  }],
  [{ nodes: "a 1 b1/r1", gangs: ["g0: 1x1, min 2, in host, has c"] }, {
    "g0": "0 of 0; at ; beside ; without 1; strict; nominate; needs room",
  }],
  [{ nodes: "a 0 b1/r1, b 1 b1/r1", gangs: ["g0: 1x1, min 2, in host, has a"] }, {
    "g0": "0 of 0; at ; beside ; without 1; strict; nominate; needs room",
  }],
  [{ nodes: "a 1 b1/r1, b 1 b2/r1", gangs: ["g0: 1x1, min 2, near block, has b"] }, {
    "g0": "0 of 0; at ; beside b 1; without 0; planned; nominate",
  }],
  [{ nodes: "a 2 b1/r1, b 1 b1/r2", gangs: ["g0: 1x1, min 3, in rack, has a b"] }, {
    "g0": "0 of 0; at ; beside b 1; without 0; strict; nominate",
  }],
  [{ nodes: "a 4 b1/r1", gangs: ["g0: 2x1, 2x2, min 5, 3 per host, has zz"] }, {
    "g0": "0 of 0; at ; beside a 2, a 1; without 1; strict; nominate",
  }],
  [{
    nodes: "a 3 b1/r1",
    gangs: ["g0: 2x1, min 1"],
    composite: { "name": "all", "children": ["default/g0"] },
  }, { "g0": "1 of 1; at a 1; beside a 1; without 0; strict; nominate" }],
  [{ nodes: "a 3 b1/r1", gangs: ["g0: 3x1, min 2"] }, {
    "g0": "2 of 2; at a 2; beside a 1; without 0",
  }],
  [{
    nodes: "a 2 b1/r1",
    gangs: ["g0: 2x2, min 2", "g1: 1x1:r0, min 1, r0>=1, has r0@a"],
    composite: { "name": "all", "min": 1, "children": ["default/g0", "default/g1"] },
  }, {
    "g0,g1":
      "0 of 0; at ; beside a 1; without 2; not default/g0 0 of 2; strict; nominate; roles  beside r0@a 1",
  }],
  [{
    nodes: "a 1 b1/r1",
    gangs: ["g0: 1x1, min 1, 2 per host", "g1: 1x1:r0, min 1, r0>=1, has r0@a"],
    composite: { "name": "all", "min": 1, "children": ["default/g0", "default/g1"] },
  }, { "g0,g1": "0 of 0; at ; beside a 1; without 1; strict; nominate" }],
  [{
    nodes: "a 3 b1/r1",
    gangs: ["g0: 2x1, min 1, has a", "g1: 2x1, min 2"],
    composite: { "name": "all", "min": 1, "children": ["default/g0", "default/g1"] },
  }, { "g0,g1": "0 of 0; at ; beside a 2, a 1; without 1; strict; nominate" }],
  [{
    nodes: "a 2 b1/r1, b 2 b1/r1",
    gangs: ["g0: 1x1, min 1, before a1/g0 b1/g1", "g1: 1x1, min 1"],
    composite: { "name": "all", "min": 1, "children": ["default/g0", "default/g1"] },
  }, { "g0,g1": "1 of 1; at a 1; beside b 1; without 0; strict; nominate" }],
  [{
    nodes: "a 3 b1/r1, b 4 b1/r1",
    gangs: ["g0: 1x1, min 1, before a1/g0 b1/g1", "g1: 1x1, 1x2, min 1"],
    composite: { "name": "all", "min": 1, "children": ["default/g0", "default/g1"] },
  }, { "g0,g1": "1 of 1; at a 1; beside b 1, a 1; without 0; strict; nominate" }],
  [{
    nodes: "a 3 b1/r1, b 1 b1/r1",
    gangs: ["g0: 1x1, min 1, before a1/g0 b2/g1", "g1: 2x1, min 2"],
    composite: { "name": "all", "min": 1, "children": ["default/g0", "default/g1"] },
  }, { "g0,g1": "1 of 1; at a 1; beside b 1, a 1; without 0; strict; nominate" }],
  [{ nodes: "a 4 b1/r1", gangs: ["g0: 1x1, 2x2, min 4, has zz, before a1"] }, {
    "g0": "0 of 0; at ; beside a 1, a 1; without 1; planned; nominate",
  }],
  [{
    nodes: "a 1 b1/r1",
    gangs: ["g0: 1x1:r0/r1, min 1, r0>=2, r0/r1>=0", "g1: 1x1, min 1"],
    composite: {
      "name": "all",
      "min": 1,
      "children": [{
        "name": "sub",
        "min": 1,
        "topology": { "required": "rack" },
        "children": ["default/g0"],
      }, { "name": "sub2", "children": ["default/g1"] }],
    },
  }, { "g0,g1": "1 of 1; at a 1; beside ; without 1; not sub; strict; nominate" }],
  [{ nodes: "a 2 b1/r1", gangs: ["g0: 2x1:r0, min 1, r0>=0"] }, {
    "g0": "1 of 1; at a 1; beside a 1; without 0; strict; nominate; roles r0@a 1 beside r0@a 1",
  }],
  [{ nodes: "a 1 b1/r1", gangs: ["g0: 1x1:r0, min 1, r0>=0, in block, has r0@b"] }, {
    "g0": "0 of 0; at ; beside ; without 1; strict; nominate",
  }],
  [{ nodes: "a 0 b1/r1, b 0 b1/r1, c 1 b1/r1", gangs: ["g0: 2x1, min 3, 2 per host, has c"] }, {
    "g0": "0 of 0; at ; beside c 1; without 1; strict; nominate",
  }],
  [
    { nodes: "a 2 b1/r1, b 0 b1/r3", gangs: ["g0: 2x1, 1x1, min 4, near rack, 2 per host, has b"] },
    { "g0": "0 of 0; at ; beside a 2; without 1; strict; nominate" },
  ],
  [{ nodes: "a 0 b1/r1, b 0 b1/r1, c 1 b1/r1", gangs: ["g0: 1x1, min 2, 2 per host, has c"] }, {
    "g0": "0 of 0; at ; beside c 1; without 0; strict; nominate",
  }],
  [{
    nodes: "a 0 b1/r1, b 0 b1/r1, c 4 b1/r1",
    gangs: ["g0: 2x1, 1x3, 1x2, min 5, 3 per host, has c"],
  }, { "g0": "0 of 0; at ; beside c 1, c 1; without 2; strict; nominate" }],
  [{
    nodes: "a 1 b1/r1",
    gangs: ["g0: 1x1:r0, min 1, r0>=0, in host, has r0@zz"],
    composite: { "name": "all", "children": ["default/g0"] },
  }, { "g0": "0 of 0; at ; beside ; without 1; strict; nominate" }],
  [{ nodes: "a 1 b1/r1", gangs: ["g0: 1x1:r1, min 1, r0>=0 in block, r1>=1, has r1@a r0@zz"] }, {
    "g0": "0 of 0; at ; beside a 1; without 0; strict; nominate; roles  beside r1@a 1",
  }],
  [{ nodes: "a 1 b1/r1, b 4 b1/r1", gangs: ["g0: 2x1, 1x2, min 2"] }, {
    "g0": "2 of 2; at b 1, a 1; beside b 1; without 0; planned; nominate",
  }],
  [{ nodes: "a 2 b1/r1", gangs: ["g0: 1x1, 2x1, min 1, 3 per rack"] }, {
    "g0": "1 of 1; at a 1; beside ; without 2; strict; nominate",
  }],
  [{
    nodes: "a 2 b1/r1",
    gangs: ["g0: 1x1:r0, min 2, r0>=1", "g1: 1x1, min 1"],
    composite: { "name": "all", "min": 1, "children": ["default/g0", "default/g1"] },
  }, {
    "g0,g1": "1 of 1; at a 1; beside ; without 1; not default/g0; strict; nominate",
  }],
  [{ nodes: "a 1 b1/r1", gangs: ["g0: 1x1:r0, 2x1:r1, min 3, r0>=1, r1>=2, has r1@c"] }, {
    "g0": "0 of 0; at ; beside a 1; without 2; strict; nominate; roles  beside r0@a 1",
  }],
  [{
    nodes: "a 1 b1/r1",
    gangs: ["g0: 1x1:r0/r1, min 1, r0>=2, r0/r1>=0", "g1: 1x1, min 2, has b"],
    composite: { "name": "all", "min": 1, "children": ["default/g0", "default/g1"] },
  }, { "g0,g1": "0 of 0; at ; beside a 1; without 1; not default/g0; strict; nominate" }],
  [{ nodes: "a 1 b1/r1", gangs: ["g0: 3x1:r0, min 3, r0>=3, r1>=0, has r1@b r0@a"] }, {
    "g0": "0 of 0; at ; beside a 1; without 2; strict; nominate; roles  beside r0@a 1",
  }],
  [{ nodes: "a 1 b1/r1", gangs: ["g0: 2x1:r0, min 2, r0>=2, r1>=0, has r1@c"] }, {
    "g0": "0 of 0; at ; beside ; without 2; strict; nominate; needs room",
  }],
  [{ nodes: "a 1 b1/r1", gangs: ["g0: 1x1:r0, min 1, r0>=0, r1>=0, has r1@c"] }, {
    "g0": "0 of 0; at ; beside a 1; without 0; strict; nominate; roles  beside r0@a 1",
  }],
  [{ nodes: "a 0 b1/r1, b 1 b1/r1", gangs: ["g0: 1x1, min 2, 3 per host, has b"] }, {
    "g0": "0 of 0; at ; beside b 1; without 0; strict; nominate",
  }],
  [{ nodes: "a 1 b1/r1", gangs: ["g0: 1x1, min 2, in block, 1 per rack, has a"] }, {
    "g0": "0 of 0; at ; beside a 1; without 0; strict; nominate",
  }],
  [{
    nodes: "a 2 b1/r1, b 1 b1/r1, c 1 b1/r1",
    gangs: ["g0: 1x1:r0, 1x1:r1, min 1, r0>=0, r1>=0 in host"],
  }, {
    "g0": "1 of 1; at b 1; beside a 1; without 0; strict; nominate; roles r0@b 1 beside r1@a 1",
  }],
  [{ nodes: "a 2 b1/r1, b 1 b1/r1", gangs: ["g0: 1x1:r0, 1x2:r1, min 1, r0>=0 in host, r1>=1"] }, {
    "g0": "1 of 1; at a 1; beside b 1; without 0; strict; nominate; roles r1@a 1 beside r0@b 1",
  }],
  [{
    nodes: "a 0 b1/r1, b 0 b1/r1, c 0 b1/r1, d 1 b1/r1",
    gangs: ["g0: 1x1, min 2, in host, has a, before d1"],
  }, { "g0": "0 of 0; at ; beside ; without 1; strict; nominate; needs room" }],
  [{
    nodes: "a 2 b1/r1, b 1 b1/r1",
    gangs: ["g0: 1x1, min 2, has a, before a1"],
    composite: { "name": "all", "children": ["default/g0"] },
  }, { "g0": "0 of 0; at ; beside b 1; without 0; strict; nominate" }],
  [{ nodes: "a 3 b1/r1", gangs: ["g0: 2x1, 1x2, min 4, has zz, before a1"] }, {
    "g0": "0 of 0; at ; beside a 1, a 1; without 1; planned; nominate",
  }],
  [{ nodes: "a 1 b1/r1, b 0 b1/r1, c 1 b1/r1", gangs: ["g0: 1x1, min 2, has zz, before a1 c1"] }, {
    "g0": "0 of 0; at ; beside a 1; without 0",
  }],
  [{ nodes: "a 1 b1/r2, b 2 b2/r2", gangs: ["g0: 3x1, min 2, near rack block"] }, {
    "g0": "2 of 2; at b 2; beside a 1; without 0; planned; nominate",
  }],
  [{
    nodes: "a 2 b1/r1",
    gangs: ["g0: 1x1:r0, min 1, r0>=0, has r0@b", "g1: 1x1!, min 2, has a"],
    composite: {
      "name": "all",
      "topology": { "required": "rack" },
      "children": ["default/g0", "default/g1"],
    },
  }, {
    "g0,g1":
      "0 of 0; at ; beside a 1, a 1; without 0; strict; nominate; roles  beside none@a 1, r0@a 1",
  }],
  [{ nodes: "a 4 b1/r1, b 2 b1/r1", gangs: ["g0: 1x1, 2x1, min 4, has zz, before a2"] }, {
    "g0": "0 of 0; at ; beside a 3; without 0",
  }],
  [{ nodes: "a 2 b1/r1", gangs: ["g0: 2x1, min 1, in host, has a", "g1: 2x1"] }, {
    "g0": "0 of 0; at ; beside ; without 2; strict; nominate",
    "g1": "2 of 2; at a 2",
  }],
  [{ nodes: "a 2 b1/r1", gangs: ["g0: 2x1, min 1, in host, has a", "g1: 2x1, pauses"] }, {
    "g0": "0 of 0; at ; beside a 2; without 0; strict; nominate",
    "g1": "0 of 2; short of gpu; needs room",
  }],
  [{ nodes: "a 2 b1/r1", gangs: ["g1: 2x1, pauses", "g0: 2x1, min 1, in host, has a"] }, {
    "g1": "2 of 2; at a 2",
    "g0": "0 of 0; at ; beside ; without 2; strict; nominate",
  }],
  // What a gang that starts can do without is nobody's to name.
  [{
    nodes: "a 2 b1/r1",
    gangs: ["g0: 2x1:r0/r1, 2x1:r0/r2, min 2, r0>=1, r0/r1>=2, r0/r2>=2", "g1: 1x3"],
    composite: { "name": "all", "min": 1, "children": ["default/g0", "default/g1"] },
  }, {
    "g0,g1":
      "2 of 2; at a 2; beside ; without 3; not default/g1 0 of 1; strict; nominate; roles r0/r1@a 2",
  }],
  // What a role lacks for its minimum goes before more members of another.
  [{
    nodes: "a 4 b1/r1",
    gangs: ["g0: 4x1:r0/r1, 2x1:r0/r2, min 2, r0>=1, r0/r1>=2, r0/r2>=2"],
  }, {
    "g0":
      "2 of 2; at a 2; beside a 2; without 2; strict; nominate; roles r0/r1@a 2 beside r0/r2@a 2",
  }],
  // Nobody of the role has a node: its earlier place counts, and not the roomiest rack.
  [{
    nodes: "a 1 b1/r1, b 2 b1/r2, c 1 b1/r3",
    gangs: ["g0: 1x1:r0, min 1, r1>=1, r0>=0 in rack, has r1@c, before r0@a1"],
  }, { "g0": "0 of 0; at ; beside a 1; without 0; strict; nominate; roles  beside r0@a 1" }],
  // A role within one that has all that it needs counts, and so what it lacks has its place for certain.
  [{ nodes: "a 3 b1/r1", gangs: ["g0: 3x1:r0/r2, min 1, r0>=0, r0/r1>=0, r0/r2>=3"] }, {
    "g0": "3 of 3; at a 3; strict; nominate; roles r0/r2@a 3",
  }],
  // Of a gang that can not be whole no more members begin.
  [{
    nodes: "a 0 b1/r1, b 1 b1/r1, c 0 b1/r2",
    gangs: [
      "g0: 2x2, min 4, has c",
      "g1: 3x1:r0/r1, min 1, r0>=2, r0/r1>=2, has r0/r1@c r0/r1@b",
    ],
    composite: { "name": "all", "min": 1, "children": ["default/g0", "default/g1"] },
  }, { "g0,g1": "0 of 0; at ; beside ; without 5; not default/g1; strict; nominate; needs room" }],
];

checkPlans(rows);
