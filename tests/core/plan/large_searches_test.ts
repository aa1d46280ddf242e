import { assertEquals } from "@std/assert";
import type { Use } from "../../../shared/core/room/fit.ts";
import { type Members, now, placesOf, planned, type Situation } from "../../support/planned.ts";

/** So many names of nodes. */
function named(count: number): string[] {
  return Array.from({ length: count }, (_, at) => `n${at}`);
}

/** Nodes that have so much each. */
function alike(names: readonly string[], gpus: number): Situation["nodes"] {
  return Object.fromEntries(names.map((name) => [name, `${gpus}`]));
}

Deno.test("plan: a gang starts where it was promised room, though a search would not find that among so many nodes", () => {
  const names = named(65);
  const apart = ["another member"];
  const useOf = (node: string, exclusive?: string[]): Use => ({
    node,
    count: 1,
    kind: JSON.stringify([1, exclusive]),
    requests: new Map([
      ["gpu", 1],
      ...(exclusive ?? []).map((what) => [`without ${what}`, 1] as const),
    ]),
  });
  // One member may only run where it would be filled first by those that need a node each.
  const uses = [useOf("only"), ...names.map((node) => useOf(node, apart))];
  const refused = new Map([[uses[0]!.kind, new Set(names)]]);
  const membersPlaced = (reserved?: { startsAt: number; uses: Use[] }) => {
    const { g } = planned({
      nodes: { ...alike(names, 2), only: "1" },
      gangs: [{
        name: "g",
        members: [{ count: 1 }, { count: 65, exclusive: apart }],
        group: { refused, reserved },
      }],
    });
    return Object.keys(placesOf(g!)).length;
  };
  assertEquals(membersPlaced(), 0);
  assertEquals(membersPlaced({ startsAt: now, uses }), 66);
});

Deno.test("plan: a group is not placed where the search for its room is given up", () => {
  // Of 30 gangs of two any 21 are enough, and only 20 find room: there are too many choices to try all.
  const gangs = named(30).map((name) => ({ name, members: [{ count: 2 }] }));
  const composite = {
    name: "all",
    min: 21,
    topology: {},
    children: gangs.map(({ name }) => `default/${name}`),
  };
  const plans = planned({ nodes: alike(named(40), 1), gangs, composite });
  assertEquals(Object.values(plans).map(({ taken, fit }) => [taken, fit.members]), [[
    undefined,
    40,
  ]]);
});

Deno.test("plan: with very many nodes members are nominated that could go anywhere", () => {
  const isPublished = (count: number, ...others: Members[]) => {
    const { g } = planned({
      nodes: alike(named(count), 1),
      gangs: [{ name: "g", members: [{ count: 1 }, ...others] }],
    });
    return g!.isPublished ?? false;
  };
  assertEquals([isPublished(999), isPublished(1001)], [false, true]);
  const rather = { count: 1, hasPreference: true } as const;
  assertEquals(isPublished(1001, rather), false, "the scheduler weighs what a member prefers");
});
