import { assertEquals } from "@std/assert";
import type { Refusing } from "../../../shared/core/plan/world.ts";
import { placesOf, planned, type Situation } from "../../support/planned.ts";
import { clusterOf, groupOf, on, planIn } from "../../support/planned_gangs.ts";

const inRack = { required: "rack" };
const kind = JSON.stringify([1, undefined]);

/** What nodes take more, where each refused one more than `each` when so many were there. */
function refusing(more: Record<string, number>, each = 1): Map<string, Refusing> {
  return new Map([[kind, { more: new Map(Object.entries(more)), each }]]);
}

function gangOf(count: number, refused: Map<string, Refusing>, topology = {}) {
  return { name: "g", members: [{ count }], topology, group: { refused } };
}

const rows: [id: string, nodes: Situation["nodes"], gang: ReturnType<typeof gangOf>, object][] = [
  ["no more than a node takes go there", { a: "4", b: "8" }, gangOf(6, refusing({ a: 2 }, 2)), {
    a: 2,
    b: 4,
  }],
  [
    "as many go to each node as one took, as far as that is enough",
    { a: "4", b: "8", c: "8", d: "8" },
    gangOf(4, refusing({ a: 0 })),
    { b: 2, c: 1, d: 1 },
  ],
  [
    "of racks one is chosen where all are taken",
    { a: "4 r1", b: "4 r1", c: "8 r2", d: "8 r2", e: "8 r2" },
    gangOf(3, refusing({ a: 1, b: 1 }), inRack),
    { c: 1, d: 1, e: 1 },
  ],
];

for (const [id, nodes, gang, places] of rows) {
  Deno.test(`plan: ${id}`, () => {
    assertEquals(placesOf(planned({ nodes, gangs: [gang] })["g"]!), places);
  });
}

Deno.test("plan: where nodes that have room take too few it is said that they do not take them", () => {
  const refused = refusing({ a: 1, b: 1 });
  const { fit, taken } = planned({ nodes: { a: "4", b: "4" }, gangs: [gangOf(3, refused)] })["g"]!;
  assertEquals([taken, fit], [undefined, {
    members: 2,
    of: 3,
    shortOf: "nodes that the scheduler takes its members on",
  }]);
});

Deno.test("plan: what a node takes of a kind it takes of all gangs of a group together", () => {
  const refused = refusing({ a: 1 });
  const gangs = ["g", "h"].map((name) => ({ name, members: [{ count: 1 }], group: { refused } }));
  const composite = { name: "all", topology: {}, children: ["default/g", "default/h"] };
  const [both] = Object.values(planned({ nodes: { a: "4", b: "4" }, gangs, composite }));
  assertEquals(placesOf(both!), { a: 1, b: 1 });
});

Deno.test("plan: members that a gang does not need go nowhere where they are not taken", () => {
  const gang = { ...gangOf(4, refusing({ a: 1, b: 1 })), minMember: 1 };
  const { taken, surplus } = planned({ nodes: { a: "4", b: "4" }, gangs: [gang] })["g"]!;
  const all = [...taken!, ...surplus!].map(({ node, count }) => [node, count]);
  assertEquals(all.sort(), [["a", 1], ["b", 1]]);
});

Deno.test("plan: nobody leaves for members that the scheduler would not take there", () => {
  const cluster = clusterOf({ nodes: { a: 4, b: 4 }, pods: [on("a", 4), on("b", 4)] });
  const leaving = (takes: number) => {
    const group = groupOf({ name: "high", size: 3, gpus: 1, priority: 10 }, cluster);
    const { kind } = group.gangs[0]!.counted()[0]!;
    // No node has changed since.
    const node = { at: Infinity, isRefused: true, tries: 0, takes };
    const refusedNodes = new Map([[kind, new Map([["a", node], ["b", node]])]]);
    group.attended = { ...group.attended, refusedNodes };
    const { byGroup } = planIn([group], { cluster, evicts: true });
    return byGroup.get(group.id)!.clearance?.victims.length;
  };
  assertEquals([leaving(1), leaving(2), leaving(3)], [undefined, 2, 1]);
});
