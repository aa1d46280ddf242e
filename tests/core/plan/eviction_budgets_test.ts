import { assertEquals } from "@std/assert";
import type { Candidate } from "../../../shared/core/room/fit.ts";
import { type Runs, victimsIn } from "../../support/evictions.ts";
import { members } from "../../support/rooms.ts";

/** So many pods, each alone on a node of one GPU, that began one after another. */
function pods(name: string, count: number, common: Partial<Runs> = {}): Runs[] {
  return Array.from({ length: count }, (_, at) => ({
    name: `${name}${at}`,
    node: `on-${name}${at}`,
    startedAt: at,
    ...common,
  }));
}

function later(pods: readonly Runs[]): Runs[] {
  return pods.map((pod) => ({ ...pod, startedAt: pod.startedAt! + 1000 }));
}

const batch = pods("batch", 60);
const web = later(pods("web", 60, { budgets: ["web"] }));
const many = Array.from(
  { length: 6 },
  (_, app) => later(pods(`app${app}-`, 20, { budgets: [`app${app}`] })),
).flat();

/** Who runs, how many may leave under each budget, who comes, and how many leave of those that run, by name. */
const rows: readonly (readonly [
  what: string,
  pods: readonly Runs[],
  budgets: Record<string, number>,
  members: readonly Candidate[],
  leave: Record<string, number> | undefined,
])[] = [
  ["one of the younger may leave", [...batch, ...web], { web: 1 }, members(20, { gpu: 1 }), {
    batch: 19,
    web: 1,
  }],
  ["five of them may", [...batch, ...web], { web: 5 }, members(20, { gpu: 1 }), {
    batch: 15,
    web: 5,
  }],
  ["the younger are enough", [...web, ...later(later(batch))], { web: 1 }, [
    ...members(20, { gpu: 1 }),
  ], { batch: 20 }],
  ["all others and one are just enough", [...batch, ...web], { web: 1 }, members(61, { gpu: 1 }), {
    batch: 60,
    web: 1,
  }],
  ["one more is needed than may leave", [...batch, ...web], { web: 1 }, [
    ...members(62, { gpu: 1 }),
  ], undefined],
  ["one member runs nowhere else than the oldest", [...batch, ...web], { web: 1 }, [
    ...members(20, { gpu: 1 }),
    ...members(1, { gpu: 1 }, /on-web0$/),
  ], { batch: 20, web: 1 }],
  [
    "one of each of several may leave",
    [...batch, ...many],
    Object.fromEntries(Array.from({ length: 6 }, (_, app) => [`app${app}`, 1])),
    members(30, { gpu: 1 }),
    { batch: 24, app: 6 },
  ],
  [
    "those under it are lower",
    [...batch.map((pod) => ({ ...pod, priority: 1 })), ...web],
    { web: 2 },
    members(20, { gpu: 1 }),
    { batch: 18, web: 2 },
  ],
];

for (const [what, pods, budgets, members, leave] of rows) {
  Deno.test(`eviction: of very many under a budget, where ${what}`, () => {
    const nodes = Object.fromEntries(pods.map(({ node }) => [node, { gpu: 1 }]));
    const victims = victimsIn({ nodes, pods, budgets, members, priority: 2 });
    const groups = victims && Map.groupBy(victims, (name) => /^[a-z]+/.exec(name)![0]);
    const counts = groups &&
      Object.fromEntries([...groups].map(([name, all]) => [name, all.length]));
    assertEquals(counts, leave);
  });
}
