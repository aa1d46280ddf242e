import { assertEquals } from "@std/assert";
import { plan } from "../../../shared/core/plan/planner.ts";
import { now, placesOf, type Situation, worldOf } from "../../support/planned.ts";

/** Where members go by two plans one after another, on these nodes, while the groups that wait are the same. */
function planTwice(gangs: Situation["gangs"], nodes: readonly Situation["nodes"][]) {
  const [first, second] = nodes.map((nodes) => worldOf({ nodes, gangs }));
  const { waiting, settings } = first!;
  return [first!, { ...second!, waiting, settings }].map((world) =>
    [...plan(world, now).byGroup.values()].map((plan) => placesOf(plan))
  );
}

Deno.test("plan: a gang that waited for its minResources starts when the nodes have them", () => {
  const gangs = [{ name: "a", members: [{ count: 2 }], minResources: { gpu: 4 } }];
  assertEquals(planTwice(gangs, [{ n: "3" }, { n: "4" }]), [[{}], [{ n: 2 }]]);
});

for (
  const [is, placed] of [
    ["a member that has it to itself", ["n!"]],
    ["such a member and another one elsewhere", ["n!", "m"]],
  ] as const
) {
  Deno.test(`plan: a node stays taken by ${is}, from one plan to the next`, () => {
    const gangs = [
      { name: "a", members: [{ count: 1, gpus: 9 }], placed: [...placed] },
      { name: "b", members: [{ count: 1, exclusive: ["another member"] }] },
    ];
    const nodes = { n: "2", m: "0" };
    assertEquals(planTwice(gangs, [nodes, nodes]), [[{}, {}], [{}, {}]]);
    const [first] = planTwice(gangs.slice(1), [nodes, nodes]);
    assertEquals(first, [{ n: 1 }], "it would have room without the gang before it");
  });
}
