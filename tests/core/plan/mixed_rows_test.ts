import { checkPlans, type PlanRow } from "../../support/plan_rows.ts";

const rows: [PlanRow, Record<string, string>][] = [
  [{ nodes: "c 3+2", gangs: ["g2: 1x3, 1x3"], evicts: true, leaving: "c 1 g1" }, {
    "g2": "1 of 2; evict c-0 c-1 for c 2; short of gpu; needs room",
  }],
  [{ nodes: "a 0+1, b 2+2/5", gangs: ["g0: 1x3", "g3: 1x1, all 2"], evicts: true }, {
    "g0": "0 of 1; evict b-1 for b 1; short of gpu; needs room",
    "g3": "0 of 1; evict a-0 b-0 b-1 for a 1; short of gpu; needs room; free 0 of 2 for 0",
  }],
  [{ nodes: "a 2, b 1+2/3, c 2+2", gangs: ["g2: 1x1!, 3x2, 3x2!, min 5"], evicts: true }, {
    "g2":
      "3 of 5; planned; nominate; evict b-0 c-0 b-1 c-1 for b 1, c 2, a 1, b 1; short of gpu; needs room",
  }],
  [{ nodes: "c 2", gangs: ["g3: 2x2:w, all 6"] }, {
    "g3": "0 of 2; short of gpu; not minResources; needs room; 6 of 2 possible; free 2 of 6 for 1",
  }],
  [{ nodes: "c 2", gangs: ["g3: 2x2:w, has c, all 6"] }, {
    "g3": "0 of 0; at ; beside c 1; without 1; roles  beside w@c 1",
  }],
  [{ nodes: "a 2+2", gangs: ["g0: 3x2, all 3", "g1: 3x2"] }, {
    "g0": "0 of 3; short of gpu; not gang; needs room; 6 of 4 possible; free 2 of 3 for 1",
    "g1": "1 of 3; policy 1; short of gpu; not gang; needs room; 6 of 4 possible",
  }],
  [{ nodes: "a 1", gangs: ["g0: 1x3, near rack block", "g1: 1x3, 2 per rack"] }, {
    "g0": "0 of 1; planned; nominate; short of gpu; not member; needs room; 3 of 1 possible",
    "g1": "0 of 1; strict; nominate; not member; needs room; 3 of 1 possible",
  }],
  [{ nodes: "a 1+1", gangs: ["g0: 2x2, in block", "g1: 2x2"] }, {
    "g0":
      "0 of 2; strict; nominate; short of nodes that its members may run on; not gang; needs room; 4 of 2 possible",
    "g1": "0 of 2; policy 1; short of gpu; not gang; needs room; 4 of 2 possible",
  }],
  [{ nodes: "a 2, b 3/3, c 2", gangs: ["g0: 3x2, for 0", "g1: 1x3"] }, {
    "g0": "3 of 3; at a 1, c 1, b 1",
    "g1": "0 of 1; short of gpu; needs room",
  }],
  [{ nodes: "a 0", gangs: ["g2: 3x2!:x/y, x/z>=1 in host, has a"] }, {
    "g2": "0 of 0; at ; beside ; without 3; strict; nominate; needs room",
  }],
  [{ nodes: "c 2", gangs: ["g2: 3x2:w, min 1, v>=1 in host"] }, {
    "g2": "1 of 1; strict; nominate",
  }],
  [{ nodes: "a 1", gangs: ["g0: 1x1, not a", "g1: 3x1, not c"] }, {
    "g0": "0 of 1; short of nodes that the scheduler takes its members on; needs room",
    "g1": "1 of 3; short of gpu; not gang; needs room; 3 of 1 possible",
  }],
  [{ nodes: "a 1+1/3", gangs: ["g0: 3x1, not a", "g2: 3x1"] }, {
    "g0": "0 of 3; short of nodes that the scheduler takes its members on; needs room",
    "g2": "1 of 3; policy 1; short of gpu; needs room",
  }],
  [{ nodes: "d 1", gangs: ["g0: 3x1:w"], nominated: "d 1 p0" }, {
    "g0": "0 of 3; short of gpu; not gang; needs room; 3 of 1 possible",
  }],
  [{ nodes: "a 2", gangs: ["g0: 3x3"], nominated: "a 2 p1" }, {
    "g0": "0 of 3; short of gpu; not member; needs room; 3 of 2 possible",
  }],
  [{ nodes: "a 0+2", gangs: ["g0: 1x1, never"], evicts: true }, { "g0": "0 of 1; short of gpu" }],
  [{ nodes: "a 2/4", gangs: ["g2: 3x1, in block"] }, {
    "g2":
      "0 of 3; strict; nominate; short of nodes that its members may run on; not domain; needs room; 3 of 0 possible",
  }],
  [{
    nodes: "b 2/3, c 3",
    gangs: ["g0: 3x1, has a", "g1: 3x2:w, min 2, in host", "g2: 2x1"],
    composite: {
      "name": "all",
      "children": [{ "name": "in", "children": ["default/g0", "default/g1"] }, "default/g2"],
    },
  }, {
    "g0,g1,g2":
      "3 of 4; strict; nominate; short of gpu; not domain; needs room; host b 1, c 1; 2 of 1 possible",
  }],
  [{ nodes: "a 1/3", gangs: ["g1: 1x1, all 3"] }, {
    "g1": "0 of 1; short of gpu; needs room; free 1 of 3 for 1",
  }],
  [{ nodes: "a 2, c 3/4", gangs: ["g0: 3x1, has d, before a1 c2"] }, {
    "g0": "0 of 0; at ; beside a 1, c 2; without 0",
  }],
  [{ nodes: "c 1, d 2", gangs: ["g1: 2x1, min 1, before d1 b1"] }, {
    "g1": "1 of 1; at d 1; beside c 1; without 0",
  }],
  [{
    nodes: "c 3/4, d 3/5",
    gangs: ["g0: 2x1", "g1: 1x3:w"],
    composite: { "name": "all", "min": 1, "children": ["default/g0", "default/g1"] },
  }, {
    "g0,g1": "2 of 2; at c 2; beside d 1; without 0; strict; nominate; roles none@c 2 beside w@d 1",
  }],
  [{ nodes: "a 2 b1/r2, c 3/3 b2/r2", gangs: ["g0: 3x1, 2 per block"] }, {
    "g0": "3 of 3; at c 2, a 1; strict; nominate",
  }],
  [{ nodes: "a 3, b 2, d 1", gangs: ["g1: 2x2, 2x1!"] }, {
    "g1": "4 of 4; at b 1, a 1, a 1, d 1; planned; nominate",
  }],
  [{ nodes: "a 2/5", gangs: ["g0: 1x2:x/y, x/y>=1, x/z>=1, x>=2, has b b"] }, {
    "g0": "0 of 0; at ; beside a 1; without 0; strict; nominate; roles  beside x/y@a 1",
  }],
  [{ nodes: "a 0/3", gangs: ["g1: 2x1, all 6"] }, {
    "g1": "0 of 2; short of gpu; not minResources; needs room; 6 of 3 possible; free 0 of 6 for 0",
  }],
  [{
    nodes: "a 3",
    gangs: ["g0: 1x1", "g1: 3x2, all 4"],
    composite: {
      "name": "all",
      "topology": { "preferred": ["rack"] },
      "children": ["default/g0", "default/g1"],
    },
  }, {
    "g0,g1":
      "1 of 4; strict; nominate; short of gpu; not minResources; needs room; 4 of 3 possible; free 3 of 4 for 1",
  }],
  [{
    nodes: "a 0+2",
    gangs: ["g0: 2x1, all 4", "g1: 3x1:w"],
    composite: {
      "name": "all",
      "topology": { "required": "rack" },
      "children": [{ "name": "in", "children": ["default/g0"] }, "default/g1"],
    },
  }, {
    "g0,g1":
      "0 of 5; strict; nominate; policy 2; short of gpu; not minResources; needs room; 4 of 2 possible; free 0 of 4 for 0",
  }],
  [{
    nodes: "a 3/3 b1/r1",
    gangs: ["g0: 3x2, not a", "g1: 1x2:w", "g2: 1x3:w, 2x1:v, v>=2 in block"],
    composite: {
      "name": "all",
      "topology": { "required": "block" },
      "children": [
        { "name": "in", "min": 1, "children": ["default/g0", "default/g1"] },
        "default/g2",
      ],
    },
    nominated: "a 1 p1",
  }, {
    "g0,g1,g2":
      "0 of 4; strict; nominate; short of nodes that the scheduler takes its members on; not gang; needs room; block b1 0; 5 of 3 possible",
  }],
  [{
    nodes: "a 0",
    gangs: ["g0: 3x3, has a", "g1: 3x3, 1x2, all 5", "g2: 3x2"],
    composite: {
      "name": "all",
      "min": 2,
      "topology": { "required": "block" },
      "children": ["default/g0", "default/g1", "default/g2"],
    },
  }, {
    "g0,g1,g2":
      "0 of 3; strict; nominate; short of nodes that its members may run on; not minResources; needs room; 5 of 0 possible",
  }],
  [{ nodes: "a 2, b 3, c 1+1/5, d 1+2/6", gangs: ["g0: 2x2:u, 2x2:v, 3x1!:v, v>=0"] }, {
    "g0": "5 of 7; strict; nominate; short of gpu; needs room",
  }],
  [{ nodes: "b 3/6", gangs: ["g3: 1x1, 3x3, 3x1!"] }, {
    "g3":
      "2 of 7; planned; nominate; short of nodes that have no such member yet; not gang; needs room; 13 of 6 possible",
  }],
  [{ nodes: "a 0/1", gangs: ["g0: 1x1"], ending: "x0 a1 60" }, {
    "g0": "0 of 1; short of gpu; needs room",
  }],
  [{
    nodes: "a 2",
    gangs: ["g0: 1x1"],
    composite: { "name": "all", "children": ["default/g0", "default/gone"] },
  }, { "g0": "1 of 1; strict; nominate" }],
  [{
    nodes: "a 1 b1/r1, b 2 b1/r2, c 2 b1/r3",
    gangs: ["g0: 2x1:x/y/z, 2x1:x/w, x>=2, x/y>=1 in rack, x/y/z>=2, x/w>=2"],
  }, { "g0": "4 of 4; at b 2, a 1, c 1; strict; nominate; roles x/y/z@b 2, x/w@a 1, x/w@c 1" }],
  // A group is told three of those that would leave for it.
  [{ nodes: "a 0+2, b 0+2", gangs: ["g0: 4x1, kept, never"], evicts: true }, {
    "g0": "0 of 4; short of gpu; default/a-0 default/b-0 default/a-1 would leave",
  }],
  // A gang that is whole does not have to evict anybody for its group; one that needs room does.
  [{
    nodes: "a 0+1",
    gangs: ["g0: 1x1, min 1, has a, evicts-none", "g1: 1x1"],
    composite: { "name": "all", "children": ["default/g0", "default/g1"] },
    evicts: true,
  }, { "g0,g1": "0 of 1; strict; nominate; evict a-0 for a 1; short of gpu; needs room" }],
  [{
    nodes: "a 0+2",
    gangs: ["g0: 1x1, evicts-none", "g1: 1x1"],
    composite: { "name": "all", "children": ["default/g0", "default/g1"] },
    evicts: true,
  }, { "g0,g1": "0 of 2; strict; nominate; policy 1; short of gpu; needs room" }],
  // What leaves counts for the minResources of each gang of a group.
  [{
    nodes: "a 0+2",
    gangs: ["g0: 1x1", "g1: 1x1, all 2"],
    composite: { "name": "all", "children": ["default/g0", "default/g1"] },
    evicts: true,
  }, {
    "g0,g1":
      "0 of 2; strict; nominate; evict a-0 a-1 for a 1, a 1; policy 1; short of gpu; needs room",
  }],
  // No other such member comes beside one that runs.
  [{ nodes: "a 2, b 2", gangs: ["g0: 1x1!, has a!"] }, {
    "g0": "0 of 0; at ; beside b 1; without 0",
  }],
  // What a gang took in between is not there for one like the first any more.
  [{ nodes: "a 2/4", gangs: ["g0: 3x1", "g1: 1x1", "g2: 3x1"] }, {
    "g0": "2 of 3; short of gpu; needs room",
    "g1": "1 of 1; at a 1",
    "g2": "1 of 3; short of gpu; needs room",
  }],
  // One that was refused its only node is told of that, and another that was not, of room.
  [{ nodes: "a 0", gangs: ["g0: 3x1, not a", "g1: 3x1, not gone"] }, {
    "g0":
      "0 of 3; short of nodes that its members may run on; not member; needs room; 1 of 0 possible",
    "g1": "0 of 3; short of gpu; not member; needs room; 1 of 0 possible",
  }],
];

checkPlans(rows);
