import { assertEquals } from "@std/assert";
import { joined, type Use } from "../../../shared/core/room/fit.ts";
import { type Members, now, placesOf, planned, type Situation } from "../../support/planned.ts";

/** So many names of nodes. */
function named(count: number): string[] {
  return Array.from({ length: count }, (_, at) => `n${at}`);
}

/** Nodes that have so much each. */
function alike(names: readonly string[], gpus: number): Situation["nodes"] {
  return Object.fromEntries(names.map((name) => [name, `${gpus}`]));
}

function sumOf(places: Record<string, number>): number {
  return Object.values(places).reduce((sum, count) => sum + count, 0);
}

Deno.test("plan: a gang starts where it was promised room, though a search would not find that among so many nodes", () => {
  // Its members fill the nodes to the last: 51, 26 and 23 on two thirds, 27, 27, 23 and 23 on the others.
  const names = named(72);
  const sizes = names.map((_, at) => at < 48 ? [51, 26, 23] : [27, 27, 23, 23]);
  const uses = names.flatMap((node, at) =>
    sizes[at]!.map((gpus): Use => ({
      node,
      count: 1,
      kind: JSON.stringify([gpus, undefined]),
      requests: new Map([["gpu", gpus]]),
    }))
  );
  const members = [...Map.groupBy(sizes.flat(), (gpus) => gpus)]
    .map(([gpus, { length: count }]) => ({ count, gpus }));
  const placed = (reserved?: { startsAt: number; uses: Use[] }) => {
    const { g } = planned({
      nodes: alike(names, 100),
      gangs: [{ name: "g", members, group: { reserved } }],
    });
    return sumOf(placesOf(g!));
  };
  assertEquals(placed(), 0);
  assertEquals(placed({ startsAt: now, uses: joined(uses) }), uses.length);
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
