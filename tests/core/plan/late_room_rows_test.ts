import { assertMatch } from "@std/assert";
import { checkPlans, type PlanRow, plansIn } from "../../support/plan_rows.ts";

const rows: [PlanRow, Record<string, string>][] = [
  [{
    nodes: "a 1+0/2 b1/r1, b 0+0/2 b1/r2",
    gangs: ["g0: 2x1, in rack"],
    rule: "easy",
    ending: "x a1 60, y b2 60",
  }, {
    "g0":
      "1 of 2; strict; nominate; from 1060000 at b 2; short of gpu; needs room; rack r1 1, r2 0; after default/y; in r2",
    "left": "a 1, b 0",
  }],
  [{
    nodes: "a 0+0/2 b1/r1, b 1+0/2 b1/r2",
    gangs: ["g0: 2x1, in rack"],
    rule: "easy",
    ending: "x a2 60, y b1 60",
  }, {
    "g0":
      "1 of 2; strict; nominate; from 1060000 at a 2; short of gpu; needs room; rack r2 1, r1 0; after default/x; in r1",
    "left": "a 0, b 1",
  }],
  [{ nodes: "a 1/2", gangs: ["g1: 1x2"], rule: "easy-2", ending: "x1 a2 0" }, {
    "g1": "0 of 1; from 1060000 at a 1; short of gpu; needs room; after default/x1, overdue",
    "left": "a 1",
  }],
  [{
    nodes: "b 1",
    gangs: ["g0: 3x1:x/y", "g1: 3x3, promised b1 a1 300"],
    rule: "easy-2",
    ending: "x2 b1 200 leaving",
  }, {
    "g0": "1 of 3; short of gpu; not gang; needs room; 3 of 1 possible",
    "g1": "0 of 3; short of gpu; not member; needs room; 3 of 1 possible",
    "left": "b 1",
  }],
  [{ nodes: "a 1, b 1+1/5", gangs: ["g1: 2x3, min 1"], rule: "conservative", ending: "x0 a2 -5" }, {
    "g1": "0 of 1; from 1060000 at a 1; short of gpu; needs room; after default/x0, overdue",
    "left": "a 0, b 1",
  }],
  [{ nodes: "b 1/3, c 1", gangs: ["g0: 3x3, min 1"], rule: "easy-2", ending: "x1 c2 60" }, {
    "g0": "0 of 1; from 1060000 at c 1; short of gpu; needs room; after default/x1",
    "left": "b 1, c 0",
  }],
  [{ nodes: "c 1/3", gangs: ["g0: 1x2, promised a2 c1 90"], rule: "easy-2", ending: "x1 c2 0" }, {
    "g0": "0 of 1; from 1060000 at c 1; short of gpu; needs room; after default/x1, overdue",
    "left": "c 1",
  }],
  [{
    nodes: "a 0/3",
    gangs: ["g0: 3x2, min 1, all 3"],
    rule: "conservative",
    ending: "x0 a2 30 leaving, x1 a1 -30, x2 a3 30 leaving",
    nominated: "a 2 p5, a 2 p0",
  }, { "g0": "0 of 1; short of gpu; needs room; free 0 of 3 for 0", "left": "a -6" }],
  [{ nodes: "a 3/5", gangs: ["g0: 3x2, min 2"], rule: "easy-2", ending: "x0 a1 -30" }, {
    "g0": "1 of 2; from 1060000 at a 1, a 1; short of gpu; needs room; after default/x0, overdue",
    "left": "a 0",
  }],
  [{
    nodes: "a 0, b 3, c 2+2/6",
    gangs: ["g0: 3x2, 1x3, 1x3, min 3"],
    rule: "easy",
    ending: "x0 a3 60 leaving, x1 c3 30",
    nominated: "c 1 p1",
  }, {
    "g0":
      "1 of 3; planned; nominate; from 1030000 at b 1, c 2; policy 1; short of gpu; needs room; after default/x1",
    "left": "a 0, b 1, c 0",
  }],
  [{
    nodes: "a 2+1",
    gangs: ["g0: 3x3, min 1, promised a2 a2 60"],
    rule: "easy-2",
    ending: "x2 a3 -30",
  }, {
    "g0": "0 of 1; from 1060000 at a 2, a 2; policy 1; short of gpu; needs room",
    "left": "a 1",
  }],
  [{ nodes: "a 3/6", gangs: ["g2: 2x1, 3x3, min 3, in host"], rule: "easy", ending: "x2 a3 0" }, {
    "g2":
      "2 of 3; strict; nominate; from 1060000 at a 2, a 1; short of gpu; needs room; host a 2; after default/x2, overdue; in a",
    "left": "a 1",
  }],
  [{
    nodes: "b 2/4",
    gangs: ["g2: 1x1:w, 1x2:v, 2x2!:v, min 2"],
    rule: "conservative",
    ending: "x1 b3 60",
  }, {
    "g2":
      "1 of 2; planned; nominate; from 1060000 at b 1, b 1; short of gpu; needs room; then its v on b 1, its v on b 1; after default/x1",
    "left": "b 1",
  }],
  [{
    nodes: "a 2+1/4, c 2/3",
    gangs: ["g2: 2x2, 2x1, 1x1"],
    rule: "easy-2",
    ending: "x0 c3 10",
    nominated: "c 1 p1",
  }, { "g2": "3 of 5; planned; nominate; short of gpu; needs room", "left": "a -2, c -2" }],
  [{
    nodes: "b 3, c 3/5, d 2/2",
    gangs: ["g3: 3x1, 2x2!, 2x3, min 6"],
    rule: "easy-2",
    ending: "x2 c2 90",
  }, {
    "g3":
      "5 of 6; planned; nominate; from 1090000 at d 1, b 1, c 1, c 2, b 1; short of gpu; needs room; after default/x2",
    "left": "b 0, c 0, d 0",
  }],
  [{
    nodes: "a 3, b 2, c 3/6",
    gangs: ["g0: 3x1, 3x2", "g1: 2x2, min 1"],
    composite: { "name": "all", "children": ["default/g0", "default/g1"] },
    rule: "easy",
    ending: "x1 c3 10 leaving, x2 b1 0",
    nominated: "a 1 p5",
  }, {
    "g0,g1":
      "4 of 7; strict; nominate; from 1060000 at c 2, a 1, b 1, b 2, c 1; short of gpu; needs room; then g0 members on c 2, g0 members on a 1, g0 members on b 1, g0 members on b 2, g1 members on c 1; after default/x2, overdue",
    "left": "a 0, b 0, c 0",
  }],
  [{
    nodes: "a 3+1, c 0+2/4",
    gangs: ["g0: 2x3:v, has v@c w@a", "g1: 2x2!", "g2: 3x1, min 1"],
    composite: { "name": "all", "children": ["default/g0", "default/g1", "default/g2"] },
    rule: "easy-2",
    ending: "x0 c3 10",
  }, {
    "g0,g1,g2":
      "2 of 3; strict; nominate; from 1010000 at c 1, a 1, c 1; policy 1; short of gpu; needs room; then g1 members on c 1, g1 members on a 1, g2 members on c 1; after default/x0",
    "left": "a 1, c 0",
  }],
  [{
    nodes: "b 1 b1/r1, c 0/3 b1/r2",
    gangs: ["g1: 1x2, 2x1, 1x3, min 3, in block"],
    rule: "easy-2",
    ending: "x0 b3 30",
  }, {
    "g1":
      "1 of 3; strict; nominate; from 1030000 at b 2, b 1; short of gpu; needs room; block b1 1; after default/x0; in b1",
    "left": "b 0, c 0",
  }],
  [{ nodes: "a 0/2", gangs: ["g0: 1x1:w, 1x1:v, w>=1, v>=1"], rule: "easy", ending: "x0 a2 60" }, {
    "g0":
      "0 of 2; strict; nominate; from 1060000 at a 1, a 1; short of gpu; needs room; then its w on a 1, its v on a 1; after default/x0",
    "left": "a 0",
  }],
  [{ nodes: "a 1/3", gangs: ["g0: 2x1, 1x2:v, v>=1"], rule: "easy", ending: "x0 a2 60" }, {
    "g0": "1 of 3; strict; nominate; short of gpu; not gang; needs room; 4 of 3 possible",
    "left": "a 1",
  }],
  // Places are found in a rack that a quick search does not see: the large member leaves a to a small one.
  [{
    nodes: "a 2 b1/r1, b 1/3 b1/r1",
    gangs: ["g0: 1x2, 2x1!, in rack"],
    rule: "easy",
    ending: "x b2 60",
  }, {
    "g0":
      "2 of 3; strict; nominate; from 1060000 at a 1, b 1, b 1; short of gpu; needs room; rack r1 2; after default/x; in r1",
    "left": "a 1, b 0",
  }],
  // A group starts when the minResources of each of its gangs are there.
  [{
    nodes: "a 0/3, b 0/2",
    gangs: ["g0: 1x1", "g1: 2x1, all 5"],
    composite: { "name": "all", "children": ["default/g0", "default/g1"] },
    rule: "easy",
    ending: "x a3 60, y b2 90",
  }, {
    "g0,g1":
      "0 of 3; strict; nominate; from 1090000 at b 1, b 1, a 1; short of gpu; needs room; then g0 members on b 1, g1 members on b 1, g1 members on a 1; after default/y",
    "left": "a 0, b 0",
  }],
];

checkPlans(rows);

Deno.test("plan: a gang starts later in a rack of very many nodes, whether its members differ or not", () => {
  const names = Array.from({ length: 70 }, (_, at) => `n${String.fromCharCode(97 + at)}`);
  const nodes = names.map((name) => `${name} 0/1 b1/r1`).join(", ");
  const ending = names.map((name) => `x ${name}1 60`).join(", ");
  for (const gang of ["g0: 70x1, in rack", "g0: 69x1, 1x1!, in rack"]) {
    const { g0 } = plansIn({ nodes, gangs: [gang], rule: "easy", ending });
    assertMatch(g0!, /from 1060000/);
  }
});
