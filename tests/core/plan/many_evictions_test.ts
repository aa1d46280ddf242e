import { assertEquals } from "@std/assert";
import { type Crowd, victimsIn } from "../../support/evictions.ts";
import { members } from "../../support/rooms.ts";

function named(count: number): string[] {
  return Array.from({ length: count }, (_, at) => `p${String(at).padStart(3, "0")}`);
}

Deno.test("eviction: of many those leave that began last, and only where the members go", () => {
  for (const [sizes, gpus] of [[[1], 1], [[1], 3], [[1, 2], 2]] as const) {
    const names = named(450);
    const crowd: Crowd = {
      nodes: Object.fromEntries(names.map((name) => [`on-${name}`, { gpu: 2 }])),
      pods: names.map((name, startedAt) => ({
        name,
        node: `on-${name}`,
        startedAt,
        asks: { gpu: sizes[startedAt % sizes.length]! },
      })),
      members: members(3, { gpu: 2 }, /./).slice(0, gpus),
    };
    const victims = victimsIn(crowd)!;
    assertEquals(victims.length, gpus, JSON.stringify([sizes, gpus]));
    assertEquals(new Set(victims).isSubsetOf(new Set(names.slice(-2 * gpus))), true, `${victims}`);
  }
});

Deno.test("eviction: of many the old ones leave where only they are where a member may run", () => {
  const names = named(300);
  const crowd: Crowd = {
    nodes: Object.fromEntries(names.map((name) => [`on-${name}`, { gpu: 1 }])),
    pods: names.map((name, startedAt) => ({ name, node: `on-${name}`, startedAt })),
    members: members(2, { gpu: 1 }, /p00\d/),
  };
  assertEquals(victimsIn(crowd), ["p008", "p009"]);
});

Deno.test("eviction: of many none leaves for a member that has room beside one that stays", () => {
  const names = named(300);
  const crowd: Crowd = {
    // What is free beside the pods is everywhere but on the node that is full.
    nodes: Object.fromEntries(
      names.map((name) => [`on-${name}`, { gpu: name === "p290" ? 1 : 2 }]),
    ),
    pods: names.map((name, startedAt) => ({ name, node: `on-${name}`, startedAt })),
    members: [...members(1, { gpu: 2 }, /p010/), ...members(1, { gpu: 1 }, /p29[01]/)],
  };
  assertEquals(victimsIn(crowd), ["p010"]);
});

Deno.test("eviction: of many a gang leaves as a whole where a member goes to the node of one of its pods", () => {
  const names = named(300);
  const gang = [
    { name: "gang-0", node: "near", gang: "gang" },
    { name: "gang-1", node: "far", gang: "gang" },
  ];
  const runs = [...names.map((name) => ({ name, node: `on-${name}` })), ...gang];
  const crowd: Crowd = {
    nodes: Object.fromEntries(runs.map(({ node }) => [node, { gpu: 1 }])),
    pods: runs,
    gangs: { gang: { minMember: 2 } },
    members: members(1, { gpu: 1 }, /near/),
  };
  assertEquals(victimsIn(crowd), ["gang-0", "gang-1"]);
});

Deno.test("eviction: of a gang all leave that it has to spare, at once, and none of a role that needs all of its own", () => {
  const [workers, servers] = [named(8), ["ps-0", "ps-1", "ps-2", "ps-3"]];
  const role = (name: string) => servers.includes(name) ? "ps" : "worker";
  const names = [...workers, ...servers];
  const crowd: Crowd = {
    nodes: Object.fromEntries(names.map((name) => [`on-${name}`, { gpu: 1 }])),
    pods: names.map((name, startedAt) => ({
      name,
      node: `on-${name}`,
      startedAt,
      gang: "gang",
      role: role(name),
    })),
    gangs: { gang: { minMember: 4, roles: { ps: 4 } } },
    members: members(8, { gpu: 1 }),
  };
  assertEquals(victimsIn(crowd)?.toSorted(), workers);
});
