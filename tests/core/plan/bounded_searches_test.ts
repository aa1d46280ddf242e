import { assert, assertEquals, assertLess } from "@std/assert";
import { clearanceFor } from "../../../shared/core/plan/clearance.ts";
import { demandOf } from "../../../shared/core/plan/demand.ts";
import { lateRoomFor } from "../../../shared/core/plan/late_room.ts";
import { Looks } from "../../../shared/core/plan/looks.ts";
import { partOf } from "../../../shared/core/plan/part.ts";
import { placeTogether } from "../../../shared/core/plan/placing.ts";
import { Regions } from "../../../shared/core/plan/regions.ts";
import type { RunningPod } from "../../../shared/core/plan/running.ts";
import { Search } from "../../../shared/core/plan/search.ts";
import { shortageOf } from "../../../shared/core/plan/shortage.ts";
import { placeSurplus } from "../../../shared/core/plan/surplus.ts";
import { groundOf } from "../../../shared/core/room/ground.ts";
import { CountedGround } from "../../support/counted_ground.ts";
import {
  type Members,
  planned,
  type Situation,
  type WaitingGang,
  worldOf,
} from "../../support/planned.ts";

/** So many nodes with so much free each. */
function nodes(count: number, gpus: number, name = "n"): Situation["nodes"] {
  return Object.fromEntries(Array.from({ length: count }, (_, at) => [`${name}${at}`, `${gpus}`]));
}

function inRack(nodes: Situation["nodes"], rack: string): Situation["nodes"] {
  return Object.fromEntries(Object.entries(nodes).map(([name, gpus]) => [name, `${gpus} ${rack}`]));
}

/** A gang of roles that need all of their members. */
function ofRoles(
  roles: Record<string, Members & { topology?: WaitingGang["topology"] }>,
): WaitingGang {
  const all = Object.entries(roles);
  return {
    name: "g",
    members: all.map(([role, { topology: _, ...members }]) => ({ ...members, role })),
    roles: all.map(([name, { count: min, topology }]) => ({ name, min, topology })),
  };
}

const byHost = { required: "host" };
const sliced = { slice: { key: "host", members: 1 } };

type Row = readonly [
  what: string,
  nodes: Situation["nodes"],
  gang: WaitingGang,
  placed: number,
  mostWork: number,
];

/**
 * A gang on so many nodes, how many of its members find room, all or none, and what may be looked at: some twice as much as it is.
 * A million takes a second.
 */
const rows: readonly Row[] = [
  ...[24, 60, 1000].flatMap((hosts): Row[] => [
    [
      `a slice, and one member too many for ${hosts} hosts`,
      nodes(hosts, 4),
      ofRoles({
        ps: { count: hosts / 2, gpus: 3, topology: sliced },
        w: { count: 5 * hosts / 2 + 1 },
      }),
      0,
      10,
    ],
    [
      `a slice, and one member too many where a rest is left on ${hosts} hosts`,
      nodes(hosts, 4),
      ofRoles({
        ps: { count: hosts / 2, gpus: 3, topology: sliced },
        w: { count: hosts + 1, gpus: 2 },
      }),
      0,
      25_000,
    ],
    [
      `two kinds, and one member too many where a rest is left on ${hosts} hosts`,
      nodes(hosts, 4),
      { name: "g", members: [{ count: hosts / 2, gpus: 3 }, { count: hosts + 1, gpus: 2 }] },
      0,
      30_000,
    ],
  ]),
  ...[60, 100].map((hosts): Row => [
    `three roles that find a host each, and one that does not, on ${hosts} hosts`,
    nodes(hosts, 1),
    ofRoles({
      a: { count: 1, topology: byHost },
      b: { count: 1, topology: byHost },
      c: { count: 1, topology: byHost },
      z: { count: 2, topology: byHost },
    }),
    0,
    250,
  ]),
  [
    "more roles than there are hosts with room for one",
    { ...nodes(60, 4), ...nodes(300, 2, "small") },
    ofRoles(Object.fromEntries(
      Array.from({ length: 61 }, (_, at) => [`r${at}`, { count: 1, gpus: 3, topology: byHost }]),
    )),
    0,
    1_000_000,
  ],
  ...[12, 20, 100].flatMap((half): Row[] => {
    const [pool, others] = [nodes(half, 1, "pool"), nodes(half, 1, "other")];
    const [anywhere, inPool] = [{ count: half }, { count: half, on: /pool/ }];
    return [
      [
        `${half} members anywhere and ${half} in a pool of as many nodes`,
        { ...pool, ...others },
        { name: "g", members: [anywhere, inPool] },
        2 * half,
        25 * half,
      ],
      [
        `a role of ${half} anywhere and one in a pool of as many nodes`,
        { ...pool, ...others, ...nodes(100, 1, "more") },
        ofRoles({ w: anywhere, ps: inPool }),
        2 * half,
        25 * half,
      ],
      [
        `a role of ${half} anywhere and one in a rack of as many nodes`,
        { ...inRack(pool, "r1"), ...inRack(others, "r2"), more: "1 r2" },
        ofRoles({ w: { count: half + 1 }, ps: { count: half, topology: { required: "rack" } } }),
        2 * half + 1,
        25 * half,
      ],
    ];
  }),
  [
    "members that may each run on one node, of more kinds than a ground remembers",
    nodes(300, 1),
    {
      name: "g",
      members: Object.keys(nodes(300, 1)).map((node) => ({
        count: 1,
        on: new RegExp(`^${node}$`),
      })),
    },
    300,
    2500,
  ],
  [
    "one member too many of very many kinds, of which two fill a node",
    nodes(200, 1000),
    {
      name: "g",
      members: Object.keys(nodes(401, 1)).map((_, at) => ({ count: 1, gpus: 334 + at % 333 })),
    },
    0,
    4_000_000,
  ],
  [
    "slices in more domains than calls may hang on each other",
    nodes(3000, 2),
    {
      name: "g",
      members: [{ count: 6000 }],
      topology: { slice: { key: "host", members: 2 } },
    },
    6000,
    100_000,
  ],
  [
    "more kinds than calls may hang on each other",
    nodes(2, 1e9),
    {
      name: "g",
      members: Object.keys(nodes(6000, 1)).map((_, at) => ({ count: 1, gpus: 1 + at })),
    },
    6000,
    100_000,
  ],
  [
    "kinds of which the last has one node, among more nodes than are tried one by one",
    { ...nodes(65, 2), only: "1" },
    { name: "g", members: [{ count: 1, on: /only/ }, { count: 65, exclusive: ["another"] }] },
    66,
    600,
  ],
  [
    "more members than nodes are tried one by one, each kind in a half",
    { ...nodes(100, 1, "a"), ...nodes(100, 1, "b"), ...nodes(100, 1, "c") },
    {
      name: "g",
      members: [{ count: 100, on: /a|b/ }, { count: 100, on: /b|c/ }, { count: 100, on: /a|c/ }],
    },
    300,
    1300,
  ],
  ...[16, 34, 110].flatMap((half): Row[] => {
    const pools = Object.assign({}, ...["a", "b", "c", "d"].map((name) => nodes(half, 1, name)));
    const members = [
      { count: half + 2, on: /^[ad]/ },
      { count: 2 * half + 7, on: /^[abc]/ },
      { count: 3, on: /^[cd]/ },
    ];
    const placed = 3 * half + 12;
    return [
      [
        `three kinds in a ring of pools of ${half} nodes`,
        pools,
        { name: "g", members },
        placed,
        40 * half,
      ],
      [
        `three roles in a ring of pools of ${half} nodes`,
        pools,
        ofRoles(Object.fromEntries(members.map((each, at) => [`r${at}`, each]))),
        placed,
        40 * half,
      ],
    ];
  }),
  [
    "two kinds that share a part of their nodes, and need others than those",
    { ...nodes(40, 1, "both"), ...nodes(40, 1, "a"), ...nodes(20, 1, "b") },
    { name: "g", members: [{ count: 60, on: /a|both/ }, { count: 40, on: /^b/ }] },
    100,
    900,
  ],
];

for (const [what, nodes, gang, placed, mostWork] of rows) {
  Deno.test(`search: ${what}`, () => {
    const { world, demands, ground, work } = counted({ nodes, gangs: [gang] });
    const part = partOf(demands, { ground });
    const found = placeTogether(part, { regions: new Regions(ground, world.levels) });
    const members = (found?.uses ?? []).reduce((sum, { count }) => sum + count, 0);
    assertEquals(members, placed);
    assertLess(work.nodes, mostWork);
  });
}

type EvictionRow = readonly [
  what: string,
  hosts: number,
  kinds: number[],
  victims: number | undefined,
  mostWork: number,
];

/** Hosts that are full, a gang of kinds that may each run on all of them, how many pods leave, and what may be looked at. */
const evictions: readonly EvictionRow[] = [
  ["many members and one that is alike", 50, [20, 1], 21, 1500],
  ["three kinds", 50, [10, 10, 1], 21, 1600],
  ["three kinds on more hosts", 200, [20, 20, 20], 60, 6000],
  ["one member too many", 50, [25, 25, 1], undefined, 250],
];

for (const [what, hosts, kinds, victims, mostWork] of evictions) {
  Deno.test(`search: who leaves ${hosts} hosts for ${what}`, () => {
    const all = [/./, /.?/, /.*/];
    const members = kinds.map((count, kind) => ({ count, on: all[kind]! }));
    const pods = Object.keys(nodes(hosts, 0)).map((node, startedAt): RunningPod => ({
      uid: node,
      name: `default/${node}`,
      node,
      startedAt,
      budgets: [],
      priority: 0,
      requests: new Map([["gpu", 1]]),
    }));
    const running = { pods, gangs: new Map(), budgets: new Map() };
    const { world, demands, ground, work } = counted({
      nodes: nodes(hosts, 0),
      gangs: [{ name: "g", members, evictsBelow: 1 }],
      world: { evictions: { leaving: () => [], running: () => running } },
    });
    const [group] = world.waiting;
    const clearing = { group: group!, open: ground, world, looks: new Looks(), goneTo: new Map() };
    const found = clearanceFor(demands, clearing);
    assertEquals(found?.victims.length, victims);
    assertLess(work.nodes, mostWork);
  });
}

Deno.test("search: more parts than calls may hang on each other, of a group and of slices that have begun", () => {
  const roles = Object.fromEntries(
    Array.from({ length: 64 }, (_, at) => [`r${at}`, { count: 1 }] as const),
  );
  const gangs = Array.from({ length: 50 }, (_, at) => ({ ...ofRoles(roles), name: `g${at}` }));
  const composite = { name: "all", children: gangs.map(({ name }) => `default/${name}`) };
  const [group] = Object.values(planned({ nodes: nodes(100, 40), gangs, composite }));
  assertEquals(group!.fit.members, 3200);
  assert(group!.taken);
  const hosts = nodes(4000, 1);
  const { g } = planned({
    nodes: hosts,
    gangs: [{
      name: "g",
      members: [{ count: 4000 }],
      placed: Object.keys(hosts),
      topology: { slice: { key: "host", members: 2 } },
    }],
    world: { settings: { matchPolicy: "waiting-and-running" } },
  });
  assertEquals(g!.taken?.length, 4000);
});

Deno.test("search: slices beyond what is needed are placed many at a time", () => {
  const gang = {
    name: "g",
    minMember: 2,
    members: [{ count: 4000 }],
    topology: { slice: { key: "host", members: 2 } },
  };
  const { world, demands, ground, work } = counted({ nodes: nodes(1000, 3), gangs: [gang] });
  const part = partOf(demands, { ground });
  const regions = new Regions(ground, world.levels);
  const search = new Search(regions, { placed: { part, uses: [] } });
  placeSurplus(part, { regions, search, before: [] });
  assertEquals(search.placedOf(part.all), 2000);
  assertLess(work.nodes, 100_000);
});

Deno.test("search: what most of very many nodes lack is asked of some of them", () => {
  let asked = 0;
  const { demands, ground } = counted({
    nodes: nodes(2000, 0),
    gangs: [{ name: "g", members: [{ count: 1 }] }],
  });
  const candidates = demands[0]!.candidates.map((candidate) => ({
    ...candidate,
    mayRunOn: (node: string) => ++asked > 0 && node !== "n0",
  }));
  const part = partOf([{ ...demands[0]!, candidates }], { ground });
  assertEquals(shortageOf(part, { regions: new Regions(ground, []) }).shortOf, "gpu");
  assertLess(asked, 500);
});

/** Counts how often it is asked where members are. */
class Asked extends Search {
  times = 0;

  override nodesOf(part: Parameters<Search["nodesOf"]>[0]): readonly number[] {
    this.times++;
    return super.nodesOf(part);
  }
}

Deno.test("search: of members beyond what is needed that keep their places nobody asks where each one's siblings are", () => {
  const hosts = nodes(300, 1);
  const gang = { name: "g", minMember: 1, members: [{ count: 300 }] };
  const { world, demands, ground } = counted({ nodes: hosts, gangs: [gang] });
  const part = partOf(demands, { ground });
  const regions = new Regions(ground, world.levels);
  const search = new Asked(regions, { placed: { part, uses: [] } });
  const { kind, requests } = part.all[0]!;
  const before = Object.keys(hosts).map((node) => ({ node, kind, requests, count: 1 }));
  placeSurplus(part, { regions, search, before });
  assertEquals(search.placedOf(part.all), 300);
  assertLess(search.times, 20);
});

Deno.test("search: room that comes later is found for members in a pool beside others that may be anywhere", () => {
  const [pool, others] = [nodes(80, 1, "pool"), nodes(80, 1, "other")];
  const gang = { name: "g", members: [{ count: 80 }, { count: 80, on: /pool/ }] };
  const { world, demands, ground } = counted({ nodes: { ...pool, ...others }, gangs: [gang] });
  const now = ground.fork();
  for (const node of Object.keys(pool)) now.takeAt(node, { requests: new Map([["gpu", 1]]) }, 1);
  const regions = { now: new Regions(now, world.levels), then: new Regions(ground, world.levels) };
  const uses = lateRoomFor(partOf(demands, { ground }), { ...regions, looks: new Looks() });
  assertEquals(uses?.length, 160);
  assertEquals(ground.roomOf("pool0")?.get("gpu"), 1);
});

function counted(situation: Situation) {
  const world = worldOf(situation);
  const demands = world.waiting[0]!.gangs().map((gang) => demandOf(gang, world.settings));
  const work = { nodes: 0 };
  return { world, demands, work, ground: new CountedGround(groundOf(world), work) };
}
