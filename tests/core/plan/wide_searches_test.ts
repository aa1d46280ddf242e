import { assertEquals } from "@std/assert";
import { plan } from "../../../shared/core/plan/planner.ts";
import type { RunningPod } from "../../../shared/core/plan/running.ts";
import { now, type Situation, type WaitingGang, worldOf } from "../../support/planned.ts";

const rackOf = (node: number) => Math.floor(node / 10);

/** Nodes in racks of ten, ten racks a block, of 4 GPUs each; of the first racks of which only one is left. */
function racks(nodes: number, fragmented = 0): Situation["nodes"] {
  return Object.fromEntries(Array.from({ length: nodes }, (_, node) => {
    const rack = rackOf(node);
    const gpus = rack < fragmented ? 1 : 4;
    return [`n${node}`, `${gpus} z/b${Math.floor(rack / 10)}/r${rack}`];
  }));
}

/** Roles of two members of 2 GPUs and four of 1, each in a place of its own. */
function replicas(count: number, topology: WaitingGang["topology"]): WaitingGang {
  const roles = Array.from({ length: count }, (_, at) => ({
    name: `replica/${String(at).padStart(2, "0")}`,
    min: 6,
    topology,
  }));
  const members = roles.flatMap(({ name: role }) => [
    { count: 2, gpus: 2, role },
    { count: 4, gpus: 1, role },
  ]);
  return { name: "g", members, roles, minMember: 6 * count };
}

/** So many of these gangs are needed; the first ones are larger than a rack. */
function some(
  { gangs: count, min, tooLarge = 0 }: { gangs: number; min: number; tooLarge?: number },
): Pick<Situation, "gangs" | "composite"> {
  const gangs = Array.from({ length: count }, (_, at) => ({
    name: `g${String(at).padStart(3, "0")}`,
    members: [{ count: at < tooLarge ? 11 : 9, gpus: 4 }],
    topology: { required: "rack" },
  }));
  const children = gangs.map(({ name }) => `default/${name}`);
  return { gangs, composite: { name: "c", min, topology: undefined, children } };
}

const [nearby, inRack] = [{ preferred: ["rack", "block", "zone"] }, { required: "rack" }];

/** What has room at the first go, or at the second, on clusters where each go looks at very many nodes. */
const rows: readonly (readonly [what: string, Situation, placed: number])[] = [
  ["roles that would rather be in a rack, of which some have too little left", {
    nodes: racks(5000, 3),
    gangs: [replicas(6, nearby)],
  }, 36],
  ["roles that are to be in a rack each, of which some have too little left", {
    nodes: racks(5000, 3),
    gangs: [replicas(16, inRack)],
  }, 96],
  ["gangs of which the first one finds no rack, and is not needed", {
    nodes: racks(5000),
    ...some({ gangs: 20, min: 19, tooLarge: 1 }),
  }, 19 * 9],
  ["gangs that all have room, of which one is needed", {
    nodes: racks(5000),
    ...some({ gangs: 40, min: 1 }),
  }, 40 * 9],
  ["very many gangs of which one is needed", {
    nodes: racks(1000),
    ...some({ gangs: 90, min: 1 }),
  }, 90 * 9],
];

for (const [what, situation, placed] of rows) {
  Deno.test(`plan: on a large cluster room is found for ${what}`, () => {
    assertEquals(placedIn(situation), placed);
  });
}

Deno.test("plan: on a large cluster nobody is evicted where there is room beside those who run", () => {
  for (const gang of [replicas(6, nearby), replicas(16, inRack)]) {
    const pods = Array.from({ length: 30 }, (_, at): RunningPod => ({
      uid: `p${at}`,
      name: `default/p${at}`,
      node: `n${at}`,
      startedAt: at,
      budgets: [],
      priority: 0,
      requests: new Map([["gpu", 3]]),
    }));
    const running = { pods, gangs: new Map(), budgets: new Map() };
    const world = worldOf({
      nodes: racks(5000, 3),
      gangs: [{ ...gang, evictsBelow: 1 }],
      world: { evictions: { leaving: () => [], running: () => running } },
    });
    const [planned] = plan(world, now).byGroup.values();
    assertEquals([planned!.fit, planned!.clearance], [
      { members: gang.minMember!, of: gang.minMember! },
      undefined,
    ]);
  }
});

function placedIn(situation: Situation): number {
  const [planned] = plan(worldOf(situation), now).byGroup.values();
  const { taken = [], surplus = [] } = planned!;
  return [...taken, ...surplus].reduce((sum, { count }) => sum + count, 0);
}
