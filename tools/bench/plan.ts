/**
 * How long the plan takes on a large cluster: the pure function, without a control plane.
 *
 * @module
 */
import { type GangSpec, noMembers } from "../../shared/core/gang/facts.ts";
import { plan } from "../../shared/core/plan/planner.ts";
import type { Running, RunningGang, RunningPod } from "../../shared/core/plan/running.ts";
import type { Waiting, World } from "../../shared/core/plan/world.ts";
import type { Candidate, OwnRoom } from "../../shared/core/room/fit.ts";
import { table } from "./report.ts";
import { type Spread, spreadOf } from "./spread.ts";

/** How large, and how often. */
export interface PlanOptions {
  nodes: number;
  /** Of the gang; as many as eight racks hold, at most. */
  members: number;
  repetitions: number;
}

/**
 * Times of one kind of gang, in ms: on nodes that nothing is known of, on the same again, and after a node has changed. The last
 * kind finds room only where others are evicted.
 */
export interface PlanRow {
  what: string;
  first: Spread;
  again: Spread;
  afterChange: Spread;
}

const gpu = "nvidia.com/gpu";
/** Racks of 16 nodes of 8 GPUs, blocks of 16 racks. */
const perNode = 8;
const perRack = 16;
const perBlock = 16 * perRack;

type Times = Record<"first" | "again" | "afterChange", number[]>;

type Declared = Partial<Pick<GangSpec, "topology" | "roles">>;

/** Measures each kind of gang. */
export function runPlan({ nodes, members, repetitions }: PlanOptions): PlanRow[] {
  const half = Math.floor(members / 2);
  const kinds: Record<string, Declared> = {
    "no topology": {},
    "one block required": { topology: { required: "block" } },
    "a rack preferred, then a block": { topology: { preferred: ["rack", "block"] } },
    "one block, slices of 8 a host": {
      topology: { required: "block", slice: { key: "host", members: perNode } },
    },
    "two roles, each in a block": {
      roles: ["prefill", "decode"].map((name) => ({
        name,
        min: half,
        topology: { required: "block" },
      })),
    },
    "one rack required, too small": { topology: { required: "rack" } },
  };
  const placed = Object.entries(kinds).map(([what, declared]) => {
    const gang = { ...declared, members, half };
    const times: Times = { first: [], again: [], afterChange: [] };
    for (let repetition = 0; repetition < repetitions; repetition++) {
      const free = roomsOf(nodes);
      times.first.push(timeOf(worldOf(free, waiting(gang))).ms);
      const { ms, world } = timeOf(worldOf(free, waiting(gang)));
      times.again.push(ms);
      const [group] = world.waiting;
      const before = plan(world, 0).byGroup.get(group!.id)!;
      free.set("n4", new Map(free.get("n4")));
      const kept = {
        ...waiting(gang),
        ...(before.taken && { plan: before }),
        reserved: before.reservation,
      };
      times.afterChange.push(timeOf(worldOf(free, kept)).ms);
    }
    return rowOf(what, times);
  });
  return [...placed, evicting({ nodes, members, repetitions })];
}

/** Every node runs a gang of a lower priority. */
function evicting({ nodes, members, repetitions }: PlanOptions): PlanRow {
  const times: Times = { first: [], again: [], afterChange: [] };
  const running = runningOn(nodes);
  const evictions = { running: () => running, leaving: () => [] };
  const full = (free: OwnRoom) => ({ ...worldOf(free, waiting({ members, half: 0 })), evictions });
  for (let repetition = 0; repetition < repetitions; repetition++) {
    const free = new Map(
      [...roomsOf(nodes)].map(([name, room]) => [name, new Map(room).set(gpu, 0)]),
    );
    times.first.push(timeOf(full(free)).ms);
    times.again.push(timeOf(full(free)).ms);
    free.set("n4", new Map(free.get("n4")));
    const { ms, world } = timeOf(full(free));
    times.afterChange.push(ms);
    const victims = plan(world, 0).byGroup.get("default/gang")?.clearance?.victims;
    if (victims?.length !== members) throw new Error("The plan evicts others than it has to");
  }
  return rowOf("no topology, by evicting gangs of 8", times);
}

function rowOf(what: string, times: Times): PlanRow {
  const [first, again, afterChange] = [times.first, times.again, times.afterChange]
    .map((list) => spreadOf(list)!) as [Spread, Spread, Spread];
  return { what, first, again, afterChange };
}

/** A gang of eight on each node. */
function runningOn(nodes: number): Running {
  const pods = Array.from({ length: nodes * perNode }, (_, index): RunningPod => {
    const node = Math.floor(index / perNode);
    return {
      uid: `u${index}`,
      name: `default/p${index}`,
      priority: 0,
      node: `n${node}`,
      requests: new Map([["cpu", 4000], ["memory", 2 ** 30], ["pods", 1], [gpu, 1]]),
      startedAt: index,
      gang: `default/g${node}`,
      budgets: [],
    };
  });
  const gang = { disruption: "gang", minMember: perNode, bound: perNode, succeeded: 0, roles: [] };
  const gangs = new Map(
    Array.from({ length: nodes }, (_, node) => [`default/g${node}`, gang as RunningGang]),
  );
  return { pods, gangs, budgets: new Map() };
}

/** The times as a markdown table. */
export function planTable(rows: readonly PlanRow[]): string {
  const text = ({ median, min }: Spread) => `${median.toFixed(2)} (${min.toFixed(2)})`;
  return table(
    ["gang", "first, median (least) ms", "again", "a node changed"],
    rows.map(({ what, first, again, afterChange }) => [
      what,
      text(first),
      text(again),
      text(afterChange),
    ]),
  );
}

function timeOf(world: World): { ms: number; world: World } {
  const startedAt = performance.now();
  plan(world, 0);
  return { ms: performance.now() - startedAt, world };
}

/** Every third node is full, and of the others some GPUs are used. */
function roomsOf(nodes: number): OwnRoom {
  return new Map(Array.from({ length: nodes }, (_, node) => {
    const gpus = node % 3 === 0 ? 0 : perNode - node % 2;
    const isEmpty = Math.floor(node / perBlock) === 1;
    return [
      `n${node}`,
      new Map([["cpu", 96_000], ["memory", 2 ** 40], ["pods", 110], [gpu, isEmpty ? 8 : gpus]]),
    ];
  }));
}

function worldOf(free: OwnRoom, group: Waiting): World {
  return {
    free,
    nodes: "the same",
    capacity: () => free,
    labelsOf: (name) => {
      const node = Number(name.slice(1));
      return {
        host: name,
        rack: `r${Math.floor(node / perRack)}`,
        block: `b${Math.floor(node / perBlock)}`,
      };
    },
    levels: [],
    nominated: [],
    takenBelow: () => [],
    waiting: [group],
    backfillMs: Infinity,
    settings: { matchPolicy: "once-satisfied" },
  };
}

function waiting(
  { members, half, ...declared }: Declared & { members: number; half: number },
): Waiting {
  const requests = new Map([["cpu", 4000], ["memory", 2 ** 30], ["pods", 1], [gpu, 1]]);
  const candidates = Array.from({ length: members }, (_, index): Candidate => ({
    requests,
    kind: "worker",
    mayRunOn: () => true,
    ...(declared.roles && { role: index < half ? "prefill" : "decode" }),
  }));
  const census = { ...noMembers, pending: members };
  const gang = { namespace: "default", name: "gang", minMember: members, createdAt: "" };
  return {
    id: "default/gang",
    priority: 0,
    gangs: () => [{
      facts: { gang: { ...gang, ...declared }, census, held: [] },
      candidates,
      placed: [],
      minResources: new Map(),
      evictsBelow: 1,
    }],
    isNeverWhole: false,
    plan: undefined,
    reserved: undefined,
    shortSince: undefined,
    keepsUntil: 0,
  };
}
