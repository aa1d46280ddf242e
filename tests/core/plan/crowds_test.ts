import { assertEquals } from "@std/assert";
import { type CrowdRow, leavingIn } from "../../support/crowd_rows.ts";

const rows: [id: string, crowd: CrowdRow, leaving: string][] = [
  ["one pod leaves for one member", { nodes: "n0 1", pods: "p0@n0", members: "1x1" }, "p0"],
  ["nobody leaves a node that is too small for the members", {
    nodes: "n0 1, n1 5, n2 2",
    pods: "p0@n0, p1@n1",
    members: "1x3, 2x2",
  }, "p1"],
  ["a pod of a lower priority leaves before members that are held", {
    nodes: "n0 1, n1 3",
    pods: "p0@n1 2 p1 held, p1@n1",
    members: "1x1@n1",
  }, "p1"],
  ["pods of two priorities leave where those of the lower one are not enough", {
    nodes: "n0 2",
    pods: "p0@n0, p1@n0 p1",
    members: "1x1, 1x1",
  }, "p0 p1"],
  ["the surplus of a gang leaves rather than the whole of another", {
    nodes: "n0 3, n1 3, n2 3, n3 1",
    pods: "p0@n0 of g, p1@n0 of g, p2@n0 of h, p3@n3 of h",
    gangs: "g 1, h 2",
    members: "2x3, 1x1",
  }, "p1"],
  ["a gang is broken where nobody else is enough", {
    nodes: "n0 1, n1 3",
    pods: "p0@n1 of g",
    gangs: "g 1",
    members: "3x1@n1",
  }, "p0"],
  ["a gang of a higher priority is broken where a regular pod of a lower one does not help", {
    nodes: "n0 1, n1 3",
    pods: "p0@n1 p1 of g, p1@n0",
    gangs: "g 1",
    members: "3x1@n1",
  }, "p0"],
  ["the Eviction API refuses a pod under two budgets", {
    nodes: "n0 4",
    pods: "p0@n0 under x y",
    budgets: "x 1, y 1",
    members: "3x1, 1x1",
  }, "none may"],
  ["a budget that allows one lets one pod go", {
    nodes: "n0 5",
    pods: "p0@n0 under y",
    budgets: "y 1",
    members: "1x2, 1x3",
  }, "p0"],
  ["one pod under a budget leaves, and another that is under none", {
    nodes: "n0 1+0, n1 1+1, n2 2+0, n3 3+0",
    pods: "p0@n0 under x, p1@n2 under x, p2@n1 1+1",
    budgets: "x 1",
    members: "3x1, 1x3",
  }, "p1 p2"],
  ["of two pods under a budget that allows one the younger leaves", {
    nodes: "n0 2, n1 5",
    pods: "p0@n0 under y, p1@n0 under y, p2@n1 p1",
    budgets: "y 1",
    members: "3x1, 3x1",
  }, "p1 p2"],
  ["a gang whose role lacks its minimum may leave as a whole", {
    nodes: "n0 1, n1 1, n2 3",
    pods: "p0@n1 of g, p1@n0 of g",
    gangs: "g 1 ps>=1",
    members: "2x1, 1x2",
  }, "p0 p1"],
  ["members that are held leave", { nodes: "n0 2", pods: "p0@n0 held", members: "1x1, 1x1" }, "p0"],
  ["a younger regular pod leaves rather than a gang whose role lacks its minimum", {
    nodes: "n0 1, n1 4, n2 4",
    pods: "p0@n1 of g, p1@n2",
    gangs: "g 1 ps>=1",
    members: "3x2",
  }, "p1"],
  ["a gang whose members leave one by one is broken where nobody else is enough", {
    nodes: "n0 3, n1 3, n2 3",
    pods: "p0@n0 of g",
    gangs: "g 1 one-by-one",
    members: "3x3",
  }, "p0"],
  ["a gang gives the one member that is in the way, and keeps the one that its role needs", {
    nodes: "n0 1, n1 3, n2 1, n3 3",
    pods: "p0@n0 of g/ps, p1@n3 of g, p2@n1 p1 of g",
    gangs: "g 1 ps>=1",
    members: "1x3",
  }, "p1"],
  ["of two of one priority the younger leaves, also where it is all of a gang", {
    nodes: "n0 4, n1 3",
    pods: "p0@n0, p1@n0 p5, p2@n0 p5 of i",
    gangs: "i 2",
    members: "2x3",
  }, "p0 p2"],
  ["sizes of pods are compared by all that they ask for", {
    nodes: "n0 2+0, n1 4+1, n2 2+0",
    pods: "p0@n0, p1@n1 1+1 p5, p2@n1 2 p5 of h",
    gangs: "h 1 ps>=1 w>=1",
    members: "3x2",
  }, "p0 p1"],
  ["members that are held leave rather than a pod that runs", {
    nodes: "n0 1, n1 1, n2 3",
    pods: "p0@n2 3 held, p1@n0",
    members: "2x1",
  }, "p0"],
  ["where a pod has to leave, it is not spared for members that are held", {
    nodes: "n0 2, n1 3",
    pods: "p0@n1 2 p1 held, p1@n0 2 p1, p2@n1",
    members: "2x1, 1x1@n0",
  }, "p0 p1"],
  ["a gang is of the highest priority that one of its members has", {
    nodes: "n0 5, n1 1",
    pods: "p0@n0 p7, p1@n1 of g, p2@n0 p7 of g",
    gangs: "g 1",
    members: "2x2@n0",
  }, "p0"],
  ["of members that are held the younger leave", {
    nodes: "n0 5, n1 1",
    pods: "p0@n0 of g held, p1@n0 2 held, p2@n1 held",
    gangs: "g 1",
    members: "1x3",
  }, "p1 p2"],
  ["the smallest leaves beside one that has to", {
    nodes: "n0 2, n1 2, n2 3",
    pods: "p0@n0, p1@n1 2, p2@n2 p1",
    members: "1x3, 2x1",
  }, "p1 p2"],
  ["of a gang that may not leave as a whole the member goes that is enough", {
    nodes: "n0 1, n1 4",
    pods: "p0@n1 p5 of h, p1@n1 of h under x, p2@n1 2 p5 of h",
    gangs: "h 1",
    budgets: "x 0",
    members: "1x1@n1",
  }, "p2"],
  ["a gang leaves as a whole that can spare too few", {
    nodes: "n0 2, n1 2, n2 3",
    pods: "p0@n2 of g, p1@n0 of g/w",
    gangs: "g 1 w>=1",
    members: "1x2, 2x2",
  }, "p0 p1"],
  ["a gang keeps the one that it needs where no member goes", {
    nodes: "n0 4, n1 5",
    pods: "p0@n0 of g, p1@n1 of g, p2@n1",
    gangs: "g 1",
    members: "2x2@n0, 3x1",
  }, "p0"],
  ["a gang gives as many as it can spare, and a regular pod leaves for the rest", {
    nodes: "n0 5, n1 1",
    pods: "p0@n0 2 of g, p1@n0 p7, p2@n1 of g, p3@n0 p7 of g",
    gangs: "g 1",
    members: "2x2@n0",
  }, "p0 p1"],
  ["a role keeps the member that no budget lets go", {
    nodes: "n0 3, n1 3, n2 4",
    pods: "p0@n0 of g, p1@n0 of g/ps, p2@n1 of g/ps under x y",
    gangs: "g 1 ps>=1",
    budgets: "x 0, y 0",
    members: "1x2, 3x2",
  }, "p1"],
  ["of a gang whose role lacks its minimum all that are bound leave, or none", {
    nodes: "n0 3, n1 2, n2 2",
    pods: "p0@n0 of g, p1@n0 p1 of g, p2@n0 of g/w",
    gangs: "g 1 w>=1",
    members: "1x2, 2x2",
  }, "p0 p1"],
  ["held members of a gang leave, and it is not broken by that", {
    nodes: "n0 2",
    pods: "p0@n0 of g held",
    gangs: "g 1",
    members: "2x1",
  }, "p0"],
  ["of two pods that are as good the younger leaves", {
    nodes: "n0 2, n1 3, n2 2",
    pods: "p0@n1, p1@n0 2, p2@n1",
    members: "2x2",
  }, "p2"],
  ["a gang whose roles lack their minima gives one where its members leave one by one", {
    nodes: "n0 3, n1 1",
    pods: "p0@n1 of g, p1@n0 of g",
    gangs: "g 1 one-by-one ps>=1 w>=1",
    members: "1x3",
  }, "p1"],
  ["a pod that a budget keeps is not one of a gang's that may leave", {
    nodes: "n0 1, n1 3, n2 3, n3 3",
    pods: "p0@n0 of g under x, p1@n1 p5, p2@n2 p5 of g",
    gangs: "g 1",
    budgets: "x 0",
    members: "2x3",
  }, "p2"],
  [
    "one pod leaves rather than two of a gang that lacks a role",
    {
      nodes: "n0 1, n1 3, n2 3, n3 3",
      pods: "p0@n0 of g under x y, p1@n1 3 p5, p2@n3 p5 of g, p3@n3 2 of g",
      gangs: "g 1",
      budgets: "x 0, y 0",
      members: "2x3",
    },
    "p1",
  ],
  ["the one that is alone on its node leaves, and not all of another node", {
    nodes: "n0 8, n1 8",
    pods: "old@n0, y1@n1, y2@n1, y3@n1, y4@n1, y5@n1, y6@n1, y7@n1, y8@n1",
    members: "1x8",
  }, "old"],
  ["a gang that is alone on its node leaves, and not two of another node", {
    nodes: "n0 2, n1 2",
    pods: "old@n0 2 of g, y1@n1 of h, y2@n1 of i",
    gangs: "g 1, h 1, i 1",
    members: "1x2",
  }, "old"],
  ["of a gang that leaves a part those that it needs for its minimum stay first", {
    nodes: "n0 4, n1 3, n2 2",
    pods: "p0@n0, p1@n0 3 of h, p2@n1 of h, p3@n2 of h/ps",
    gangs: "h 1 ps>=1",
    members: "1x3@n1, 2x1",
  }, "p0 p2"],
  ["of two members of a role the one that it can spare leaves", {
    nodes: "n0 1, n1 4, n2 4",
    pods: "p0@n2 of g, p1@n1 of g/ps, p2@n2 of h, p3@n1 of g/ps, p4@n1 p1 of h, p5@n2 of g/w",
    gangs: "g 1 ps>=1 w>=1, h 1 ps>=1",
    members: "1x2",
  }, "p3"],
  ["a member without a role leaves before one that its role needs", {
    nodes: "n0 1, n1 5",
    pods: "p0@n1 of g/w, p1@n1 of g/ps, p2@n1 2 of g, p3@n0 p1 of g/ps",
    gangs: "g 1 ps>=1 w>=1",
    members: "2x1",
  }, "p2"],
  ["a regular role's surplus leaves beside a member that no role has", {
    nodes: "n0 2, n1 4, n2 4",
    pods: "p0@n2 of g, p1@n1 of g/ps, p2@n2 of h, p3@n1 of g/ps, p4@n1 p1 of h, p5@n2 of g/w",
    gangs: "g 1 ps>=1 w>=1, h 1 ps>=1",
    members: "3x2",
  }, "p0 p3"],
  ["a gang of which a budget keeps one member does not leave in part", {
    nodes: "n0 4, n1 1, n2 3",
    pods: "p0@n0 of g/w under x, p1@n0 of g/ps, p2@n1 of g",
    gangs: "g 1 ps>=1 w>=1",
    budgets: "x 0",
    members: "2x3",
  }, "none may"],
];

for (const [id, crowd, leaving] of rows) {
  Deno.test(`evictionFor(): ${id}`, () => assertEquals(leavingIn(crowd), leaving));
}
