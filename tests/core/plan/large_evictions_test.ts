import { assert, assertEquals, assertLess } from "@std/assert";
import { clearanceFor } from "../../../shared/core/plan/clearance.ts";
import { demandOf } from "../../../shared/core/plan/demand.ts";
import { evictionFor } from "../../../shared/core/plan/eviction.ts";
import { Looks } from "../../../shared/core/plan/looks.ts";
import type { RunningPod } from "../../../shared/core/plan/running.ts";
import { groundOf } from "../../../shared/core/room/ground.ts";
import { CountedGround } from "../../support/counted_ground.ts";
import { type WaitingGang, worldOf } from "../../support/planned.ts";

/** Pods on nodes that they fill, of three sizes. */
function podsOn(nodes: readonly string[]): RunningPod[] {
  return nodes.flatMap((node, at) =>
    Array.from({ length: 8 }, (_, index): RunningPod => ({
      uid: `${node}-${index}`,
      name: `default/${node}-${index}`,
      node,
      startedAt: 8 * at + index,
      budgets: [],
      priority: 0,
      requests: new Map([["gpu", 10 + (at + index) % 3]]),
    }))
  );
}

/** Who leaves full nodes for a gang, among all pods; undefined: nobody does. */
function clearing(
  count: number,
  { looks = new Looks(), ...gang }: Pick<WaitingGang, "members" | "minResources"> & {
    looks?: Looks;
  },
) {
  const nodes = Array.from({ length: count }, (_, at) => `n${at}`);
  const pods = podsOn(nodes);
  const running = { pods, gangs: new Map(), budgets: new Map() };
  const world = worldOf({
    nodes: Object.fromEntries(nodes.map((node) => [node, "0"])),
    gangs: [{ name: "g", evictsBelow: 1, ...gang }],
    world: { evictions: { leaving: () => [], running: () => running } },
  });
  const [group] = world.waiting;
  const demands = group!.gangs().map((gang) => demandOf(gang, world.settings));
  const work = { nodes: 0 };
  const open = new CountedGround(groundOf(world), work);
  const found = clearanceFor(demands, { group: group!, open, world, looks, goneTo: new Map() });
  return { found, pods, nodes, work };
}

/** The same, and what is left of each node then beside the gang's members; and what was looked at for that. */
function evicting(count: number, gang: Pick<WaitingGang, "members" | "minResources">) {
  const { found, pods, nodes, work } = clearing(count, gang);
  assert(found);
  const victims = pods.filter(({ uid }) => found.victims.includes(uid));
  const left = new Map(nodes.map((node) => [node, 0]));
  for (const { node, requests } of victims) {
    left.set(node, left.get(node)! + requests.get("gpu")!);
  }
  for (const { node, requests, count } of found.taken) {
    left.set(node, left.get(node)! - count * requests.get("gpu")!);
  }
  return { taken: found.taken, victims, left, work };
}

for (const nodes of [60, 120]) {
  Deno.test(`eviction: who leaves ${nodes} full nodes for very many members is looked for no longer than for fewer`, () => {
    const members = [
      { count: nodes / 2, gpus: 50 },
      { count: nodes, gpus: 20, on: /./ },
      { count: 3, gpus: 30, on: /.*/ },
    ];
    const { taken, victims, left, work } = evicting(nodes, { members });
    assertEquals(taken.reduce((sum, { count }) => sum + count, 0), nodes * 1.5 + 3);
    for (const [node, gpus] of left) assert(gpus >= 0, node);
    for (const { node, uid, requests } of victims) {
      assertLess(left.get(node)!, requests.get("gpu")!, `${uid} had room beside the members`);
    }
    assertLess(work.nodes, 100_000);
  });
}

Deno.test("eviction: who of very many leaves is not looked for once the gangs of a namespace have looked at too much", () => {
  const isFound = (nodes: number) => {
    const all = new Looks(1);
    all.spend(1);
    const looks = new Looks(undefined, all);
    return clearing(nodes, { members: [{ count: 2, gpus: 20 }], looks }).found !== undefined;
  };
  assertEquals([20, 60].map(isFound), [true, false]);
});

Deno.test("eviction: of very many pods as many leave as a gang's minResources take, too", () => {
  const members = [{ count: 60, gpus: 50 }, { count: 3, gpus: 20 }];
  const { left } = evicting(120, { members, minResources: { gpu: 6000 } });
  const asked = 60 * 50 + 3 * 20;
  assert(asked + left.values().reduce((sum, gpus) => sum + gpus, 0) >= 6000);
});

Deno.test("eviction: of a gang of very many members in roles each is looked at some times", () => {
  const [members, roles] = [600, 20];
  let looked = 0;
  const pods = Array.from({ length: members }, (_, at): RunningPod => ({
    uid: `p${at}`,
    name: `default/p${at}`,
    node: "n",
    startedAt: at,
    budgets: [],
    priority: 0,
    requests: new Map([["gpu", 1]]),
    gang: "default/g",
    get role() {
      looked++;
      return `r${at % roles}`;
    },
  }));
  const gang = {
    disruption: "gang" as const,
    minMember: members / 2,
    bound: members,
    succeeded: 0,
    roles: Array.from({ length: roles }, (_, at) => ({
      name: `r${at}`,
      min: 1,
      bound: members / roles,
    })),
  };
  const floor = () => {
    let free = 0;
    return {
      take: (pods: readonly RunningPod[], sign: 1 | -1) => void (free -= sign * pods.length),
      place: () => free >= 10 ? [] : undefined,
      holds: undefined,
    };
  };
  const running = { pods, gangs: new Map([["default/g", gang]]), budgets: new Map() };
  const victims = evictionFor({ floor, running, looks: new Looks() })?.victims.map(({ uid }) =>
    uid
  );
  assertEquals(victims, pods.slice(-10).map(({ uid }) => uid));
  assertLess(looked, 100_000);
});
