import { assertEquals } from "@std/assert";
import { compositeFacts, wholeGangs } from "../../../shared/core/gang/composites.ts";
import { type GangFacts, gangId } from "../../../shared/core/gang/facts.ts";
import type { Composite, CompositeFacts } from "../../../shared/core/gang/topology.ts";
import { gang, group } from "../../support/facts.ts";

const told: readonly {
  is: string;
  composite?: Composite;
  facts?: readonly CompositeFacts[];
}[] = [
  { is: "nothing of no composite" },
  {
    is: "nothing of one that needs all that is in it",
    composite: { name: "root", children: ["a"] },
  },
  {
    is: "nothing of one that says that it needs all that is in it",
    composite: { name: "root", min: 2, children: ["a", "b"] },
  },
  {
    is: "so many of one that can do without some",
    composite: { name: "root", min: 1, children: ["a", "b"] },
    facts: [{ name: "root", min: 1, gangs: ["a", "b"] }],
  },
  {
    is: "what is within which, where one within can do without some",
    composite: {
      name: "root",
      children: ["a", { name: "all", children: ["b"] }, {
        name: "some",
        min: 1,
        children: ["c", "d"],
      }],
    },
    facts: [
      { name: "root", gangs: ["a"] },
      { name: "all", within: "root", gangs: ["b"] },
      { name: "some", within: "root", min: 1, gangs: ["c", "d"] },
    ],
  },
];

for (const { is, composite, facts } of told) {
  Deno.test(`composite: a stage is told ${is}`, () => {
    assertEquals(compositeFacts(structuredClone(composite)), facts);
  });
}

const ids = (...names: string[]) => names.map((name) => `default/${name}`);

Deno.test("composite: nobody of a group binds while one of its composites has too few whole gangs", () => {
  const composites = [
    { name: "left", min: 1, gangs: ids("a", "b") },
    { name: "right", min: 1, gangs: ids("c") },
  ];
  const gangs = ["a", "b", "c"].map((name) => gang({ name }));
  const bindsWhere = (...whole: readonly string[]) => {
    const isWhole = (facts: GangFacts) => whole.includes(gangId(facts.gang));
    return [...wholeGangs({ ...group(...gangs), composites }, isWhole)];
  };
  assertEquals(bindsWhere(...ids("a", "c")), ids("a", "c"));
  assertEquals(bindsWhere(...ids("a", "b")), []);
});
