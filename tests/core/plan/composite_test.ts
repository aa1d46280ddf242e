import { assertEquals } from "@std/assert";
import { type PlanRow, plansIn } from "../../support/plan_rows.ts";

const anyOf = (...children: string[]) => ({
  name: "root",
  min: 1,
  children: children.map((name) => `default/${name}`),
});
const anyOfOrPair = {
  ...anyOf("a"),
  children: ["default/a", { ...anyOf("b", "c"), name: "pair" }],
};

/** Groups that need one of their gangs. */
const rows: readonly [is: string, row: PlanRow, plan: string][] = [
  [
    "it finds room where all on the nodes may leave for it",
    { nodes: "n 0+2", gangs: ["a: 2x1", "b: 3x1"], composite: anyOf("a", "b") },
    "0 of 2; strict; nominate; policy 2; short of gpu; needs room",
  ],
  [
    "pods that leave make no more room than they have",
    { nodes: "n 0+2/4", gangs: ["a: 4x1", "b: 4x1"], composite: anyOf("a", "b") },
    "0 of 4; strict; nominate; policy 2; short of gpu; needs room",
  ],
  [
    "nobody leaves while one of its gangs evicts nobody",
    { nodes: "n 0+2", gangs: ["a: 2x1", "b: 3x1, evicts-none"], composite: anyOf("a", "b") },
    "0 of 2; strict; nominate; short of gpu; needs room",
  ],
  [
    "it is not said to be impossible while the nodes could take one of its gangs",
    { nodes: "n 0/4", gangs: ["a: 1x8", "b: 1x4"], composite: anyOf("a", "b") },
    "0 of 1; strict; nominate; short of gpu; needs room",
  ],
  [
    "it is impossible where the nodes could take none of its gangs, wherever in the tree they are",
    { nodes: "n 0/4", gangs: ["a: 1x8", "b: 1x8", "c: 1x8"], composite: anyOfOrPair },
    "0 of 1; strict; nominate; short of gpu; not member; needs room; 8 of 4 possible",
  ],
  [
    "it is not impossible while the nodes could take one within another",
    { nodes: "n 0/4", gangs: ["a: 1x8", "b: 1x8", "c: 1x4"], composite: anyOfOrPair },
    "0 of 1; strict; nominate; short of gpu; needs room",
  ],
];

for (const [is, row, plan] of rows) {
  Deno.test(`plan: where a group needs one of its gangs, ${is}`, () => {
    assertEquals(Object.values(plansIn(row)), [plan]);
  });
}
