import { checkPlans, type PlanRow } from "../../support/plan_rows.ts";

const rows: [PlanRow, Record<string, string>][] = [
  [{ nodes: "a 1", gangs: ["g0: 1x1", "g1: 1x1, let-in 0"] }, {
    "g0": "1 of 1; at a 1",
    "g1": "0 of 1; short of gpu; needs room",
  }],
  [{ nodes: "c 3", gangs: ["g0: 3x2:x/z, p1", "g2: 1x2, p1, promised c1 c2 10"], rule: "easy-2" }, {
    "g0": "1 of 3; short of gpu; not gang; needs room; 6 of 3 possible",
    "g2": "1 of 1; at c 1",
    "left": "c 1",
  }],
  [{ nodes: "a 1", gangs: ["g0: 3x2:v, promised a1 0"], rule: "easy" }, {
    "g0": "0 of 3; short of gpu; not member; needs room; 2 of 1 possible",
    "left": "a 1",
  }],
  [{ nodes: "c 1/3", gangs: ["g1: 3x2, min 1, promised b2 10"], rule: "easy-2" }, {
    "g1": "0 of 1; from 1010000 at b 2; short of gpu; needs room",
    "left": "c 1",
  }],
  [{
    nodes: "a 3",
    gangs: ["g0: 3x1!:v, let-in 10, promised a2 10", "g1: 1x2"],
    rule: "conservative",
  }, {
    "g0":
      "1 of 3; short of nodes that have no such member yet; not gang; needs room; 3 of 1 possible",
    "g1": "1 of 1; at a 1",
    "left": "a 1",
  }],
  [{ nodes: "a 2, b 3/3, c 2", gangs: ["g0: 3x2", "g1: 1x3"], rule: "timed" }, {
    "g0": "3 of 3; at a 1, c 1, b 1",
    "g1": "0 of 1; short of gpu; needs room",
    "left": "a 0, b -2, c 0",
  }],
  [{ nodes: "b 3+2, c 0+2/5", gangs: ["g1: 2x3, short 30"], rule: "30" }, {
    "g1": "1 of 2; short of gpu; needs room",
    "left": "b 0, c -3",
  }],
  [{ nodes: "a 1+2/5", gangs: ["g0: 1x3, promised a1 0"], rule: "easy-2" }, {
    "g0": "0 of 1; policy 1; short of gpu; needs room",
    "left": "a -2",
  }],
  [{ nodes: "a 2/4, b 3+1", gangs: ["g0: 3x3, min 2, promised a1 b2 60"], rule: "easy-2" }, {
    "g0": "1 of 2; from 1060000 at a 1, b 2; short of gpu; needs room",
    "left": "a 1, b 1",
  }],
  [{ nodes: "a 3, c 0+1/3", gangs: ["g1: 3x2, min 2, promised a1 300"], rule: "easy" }, {
    "g1": "1 of 2; short of gpu; needs room",
    "left": "a 1, c -2",
  }],
  [{ nodes: "a 3, b 1/1", gangs: ["g1: 1x3!, for 0", "g3: 1x2, all 4"], rule: "easy-2" }, {
    "g1": "1 of 1; at a 1",
    "g3":
      "0 of 1; from 1001000 at a 1; short of gpu; needs room; free 1 of 4 for 0; after default/g1",
    "left": "a 0, b 1",
  }],
  [{ nodes: "c 3", gangs: ["g2: 2x3, min 1, for 120", "g3: 1x2, in host"], rule: "easy-2" }, {
    "g2": "1 of 1; at c 1; beside ; without 1",
    "g3":
      "0 of 1; strict; nominate; from 1120000 at c 1; short of gpu; needs room; host c 0; after default/g2; in c",
    "left": "c 0",
  }],
  [{ nodes: "b 3+2, c 0+2/5", gangs: ["g1: 2x3", "g2: 2x1:v"], rule: "30" }, {
    "g1": "1 of 2; short of gpu; needs room",
    "g2": "2 of 2; behind default/g1; needs room",
    "left": "b -2, c -3",
  }],
  [{
    nodes: "b 0+1 b2/r1, c 2/3 b1/r2",
    gangs: ["g0: 1x1, for 60", "g1: 2x2, min 1, in rack"],
    rule: "easy-2",
  }, {
    "g0": "1 of 1; at c 1",
    "g1":
      "0 of 1; strict; nominate; from 1060000 at c 1; short of gpu; needs room; rack r1 0, r2 0; after default/g0; in r2",
    "left": "b 0, c 0",
  }],
  [{ nodes: "b 2+1/3", gangs: ["g2: 2x3, promised b2 -5"], rule: "conservative" }, {
    "g2": "0 of 2; policy 1; short of gpu; not gang; needs room; 6 of 3 possible",
    "left": "b 0",
  }],
  [{ nodes: "b 3/5, c 3", gangs: ["g0: 2x2, for 60", "g2: 2x3, min 1"], rule: "easy-2" }, {
    "g0": "2 of 2; at b 1, c 1",
    "g2": "0 of 1; from 1060000 at b 1; short of gpu; needs room; after default/g0",
    "left": "b 0, c 1",
  }],
  [{ nodes: "a 2", gangs: ["g0: 3x3"], rule: "easy", nominated: "a 2 p1" }, {
    "g0": "0 of 3; short of gpu; not member; needs room; 3 of 2 possible",
    "left": "a 0",
  }],
  [{ nodes: "b 3+1", gangs: ["g0: 2x2, min 1, promised b1 -5"], rule: "easy-2" }, {
    "g0": "1 of 1; at b 1; beside ; without 1",
    "left": "b 1",
  }],
  [{
    nodes: "b 1",
    gangs: ["g0: 2x3:x/y, has a x/y@b, promised b1 0", "g1: 3x2, all 4"],
    composite: { "name": "all", "children": ["default/g0", "default/g1"] },
    rule: "easy-2",
  }, {
    "g0,g1":
      "0 of 3; strict; nominate; short of gpu; not minResources; needs room; 4 of 0 possible; free 0 of 4 for 0",
    "left": "b 0",
  }],
  [{
    nodes: "a 3, b 2/2, d 1/4",
    gangs: ["g0: 3x2:x/y", "g1: 3x2!:w, 1x3:v, 3x1:v, w>=0, v>=2"],
    rule: "easy-2",
  }, {
    "g0": "2 of 3; short of gpu; needs room",
    "g1": "3 of 7; strict; nominate; short of gpu; not gang; needs room; 12 of 9 possible",
    "left": "a 1, b 0, d -1",
  }],
  [{
    nodes: "a 1/3, c 3+2",
    gangs: ["g1: 2x2, all 3", "g2: 1x3, 1x1!, 3x3, min 3, let-in 1"],
    rule: "easy",
  }, {
    "g2": "2 of 3; planned; nominate; short of gpu; needs room",
    "g1": "0 of 2; policy 2; short of gpu; needs room; free 0 of 3 for 1",
    "left": "a -2, c -1",
  }],
  [{
    nodes: "a 3/5, b 2, c 1, d 2",
    gangs: ["g0: 3x1", "g1: 3x1, min 1, all 6", "g2: 2x2:w, min 1, let-in 1"],
    rule: "30",
  }, {
    "g2": "1 of 1; at b 1; beside a 1; without 0; roles w@b 1 beside w@a 1",
    "g0": "3 of 3; at c 1, d 2",
    "g1": "0 of 1; short of gpu; needs room; free 3 of 6 for 1",
    "left": "a 0, b 0, c 0, d 0",
  }],
  [{ nodes: "a 3/6", gangs: ["g3: 3x3:v, min 2, v>=1"], rule: "easy" }, {
    "g3": "1 of 2; strict; nominate; short of gpu; needs room",
    "left": "a -3",
  }],
  [{
    nodes: "a 2, b 1, d 3",
    gangs: ["g0: 3x3, min 1", "g1: 1x3"],
    composite: {
      "name": "all",
      "topology": { "preferred": ["rack"] },
      "children": ["default/g0", "default/g1"],
    },
    rule: "none",
  }, { "g0,g1": "1 of 2; strict; nominate; short of gpu; needs room", "left": "a 2, b 1, d 3" }],
  [{ nodes: "a 2/3, b 3, c 2/3", gangs: ["g1: 3x2", "g2: 1x3, 3x2"], rule: "easy-2" }, {
    "g1": "3 of 3; at a 1, c 1, b 1",
    "g2": "0 of 4; planned; nominate; short of gpu; needs room",
    "left": "a 0, b 1, c 0",
  }],
  [{ nodes: "b 3+2, c 1+1/5", gangs: ["g0: 3x2, 2 per block"], rule: "timed" }, {
    "g0": "0 of 3; strict; nominate; needs room",
    "left": "b 3, c 1",
  }],
  [{ nodes: "a 3+1, c 3+2", gangs: ["g0: 1x2", "g2: 1x2, 1x3"], rule: "easy" }, {
    "g0": "1 of 1; at a 1",
    "g2": "1 of 2; planned; nominate; policy 1; short of gpu; needs room",
    "left": "a -1, c 0",
  }],
  [{ nodes: "b 0+2, c 3+2", gangs: ["g2: 1x2, 1x3, near host rack"], rule: "easy" }, {
    "g2": "1 of 2; planned; nominate; policy 1; short of gpu; needs room",
    "left": "b -2, c 0",
  }],
  [{
    nodes: "a 1+1 b2/r2, c 1+2 b1/r2",
    gangs: ["g1: 3x1!:w, 2x2:v, min 4, v>=1, in rack"],
    rule: "none",
  }, {
    "g1": "2 of 4; strict; nominate; policy 1; short of gpu; needs room; rack r2 2",
    "left": "a 1, c 1",
  }],
  [{
    nodes: "a 3+1, c 0+2/4",
    gangs: ["g0: 2x3:v, has v@c w@a", "g1: 2x2!, all 4", "g2: 3x1, min 1"],
    composite: { "name": "all", "children": ["default/g0", "default/g1", "default/g2"] },
    rule: "easy-2",
  }, {
    "g0,g1,g2": "1 of 3; strict; nominate; short of gpu; needs room; free 3 of 4 for 1",
    "left": "a 0, c -2",
  }],
  [{ nodes: "c 2", gangs: ["g2: 2x1", "g3: 3x2:w, min 1, w>=0"], rule: "none" }, {
    "g2": "2 of 2; at c 2",
    "g3": "0 of 1; strict; nominate; short of gpu; needs room",
    "left": "c -2",
  }],
  [{
    nodes: "a 2/3, b 2/4, c 1/4",
    gangs: ["g0: 3x1", "g1: 2x2", "g2: 2x2:w, w>=0"],
    composite: { "name": "all", "children": ["default/g0", "default/g1", "default/g2"] },
    rule: "easy",
  }, {
    "g0,g1,g2": "3 of 7; strict; nominate; short of gpu; needs room",
    "left": "a -1, b -2, c -3",
  }],
  [{
    nodes: "a 0/3 b1/r1, b 3 b2/r2",
    gangs: ["g0: 3x1, in rack", "g1: 3x2, min 1, let-in 10"],
    rule: "timed",
  }, {
    "g1": "1 of 1; at b 1; beside ; without 2",
    "g0": "1 of 3; strict; nominate; short of gpu; needs room; rack r2 1, r1 0",
    "left": "a 0, b -2",
  }],
  // A promise is kept from the moment on at which a group is not let in any more.
  [{
    nodes: "a 1/2",
    gangs: ["g1: 1x1", "g0: 1x2, promised a2 10, let-in 0"],
    rule: "easy-2",
    ending: "x a1 10",
  }, {
    "g1": "1 of 1; behind default/g0; needs room",
    "g0": "0 of 1; from 1010000 at a 2; short of gpu; needs room",
    "left": "a -1",
  }],
  // So many are promised room as the rule says, those of a higher priority included: c is not kept for g3.
  [{
    nodes: "a 0/2, b 0/3, c 1/2",
    gangs: ["g0: 1x3, p1", "g1: 1x2, promised a2 60", "g2: 1x1", "g3: 1x2, promised c2 90"],
    rule: "easy-2",
    ending: "x a2 60, y b3 30, z c1 90",
  }, {
    "g0": "0 of 1; from 1030000 at b 1; short of gpu; needs room; after default/y",
    "g1": "0 of 1; from 1060000 at a 2; short of gpu; needs room",
    "g2": "1 of 1; at c 1",
    "g3": "0 of 1; short of gpu; needs room",
    "left": "a 0, b 0, c 0",
  }],
  // A promise stays where it is, unless an earlier start is found elsewhere.
  [{
    nodes: "a 0/2, b 0/2, c 0/1",
    gangs: ["g0: 2x1, in host, promised b2 60"],
    rule: "easy-2",
    ending: "x a2 60, y b1 30, z c1 30, w b1 60",
  }, {
    "g0":
      "0 of 2; strict; nominate; from 1060000 at b 2; short of gpu; needs room; host a 0, b 0, c 0",
    "left": "a 0, b 0, c 0",
  }],
  // The same, where there is room now that is kept for another.
  [{
    nodes: "a 0/2, b 0/2, d 2/3",
    gangs: ["g0: 1x3, promised d3 30", "g1: 2x1, in host, promised b2 60"],
    rule: "easy-2",
    ending: "x a2 60, w b2 60, y d1 30",
  }, {
    "g0": "0 of 1; from 1030000 at d 3; short of gpu; needs room",
    "g1": "2 of 2; strict; nominate; from 1060000 at b 2; behind default/g0; needs room",
    "left": "a 0, b 0, d 0",
  }],
  // What is kept, or going to be taken, on a node beyond what is free there does not lack on others.
  [{ nodes: "a 0/2, b 0/1", gangs: ["g0: 1x2", "g1: 1x1"], rule: "easy-2", ending: "x b1 60" }, {
    "g0": "0 of 1; short of gpu; needs room",
    "g1": "0 of 1; from 1060000 at b 1; short of gpu; needs room; after default/x",
    "left": "a -2, b 0",
  }],
  [{
    nodes: "a 1/3, b 0/2",
    gangs: ["g0: 1x3, p1", "g1: 2x1"],
    rule: "easy-2",
    ending: "x b2 60",
    nominated: "a 3 p0",
  }, {
    "g0": "0 of 1; short of gpu; needs room",
    "g1": "0 of 2; from 1060000 at b 2; short of gpu; needs room; after default/x",
    "left": "a -5, b 0",
  }],
  [{
    nodes: "a 0+2, b 0/2, c 0/3",
    gangs: ["g: 1x3", "g0: 1x2", "g1: 1x2"],
    rule: "easy-2",
    ending: "x b2 60",
    evicts: true,
  }, {
    "g": "0 of 1; short of gpu; needs room",
    "g0": "0 of 1; evict a-0 a-1 for a 1; short of gpu; needs room",
    "g1": "0 of 1; from 1060000 at b 1; short of gpu; needs room; after default/x",
    "left": "a -2, b 0, c -3",
  }],
  // What others have taken since is taken once.
  [{
    nodes: "a 3, b 0/1, c 0/5",
    gangs: ["w: 1x5, p1", "g0: 1x1", "g1: 1x1", "g2: 2x1"],
    rule: "easy-2",
    ending: "x b1 60",
  }, {
    "w": "0 of 1; short of gpu; needs room",
    "g0": "1 of 1; at a 1",
    "g1": "1 of 1; at a 1",
    "g2": "1 of 2; from 1060000 at b 1, a 1; short of gpu; needs room; after default/x",
    "left": "a 0, b 0, c -5",
  }],
];

checkPlans(rows);
