/**
 * How long the plan takes as the queue grows, by each rule of backfill: the pure function on a full cluster, without a control
 * plane.
 *
 * @module
 */
import { backfillOf } from "../../shared/core/gang/backfill.ts";
import { noMembers } from "../../shared/core/gang/facts.ts";
import type { RunTime } from "../../shared/core/gang/run_time.ts";
import { plan } from "../../shared/core/plan/planner.ts";
import type { Ending, Waiting, World } from "../../shared/core/plan/world.ts";
import type { Candidate, OwnRoom } from "../../shared/core/room/fit.ts";
import { table } from "./report.ts";

/** Times for one rule and queue, in ms: of the first plan, and of the next one, where what was promised is known. */
export interface QueueRow {
  rule: string;
  queue: number;
  first: number;
  again: number;
}

const rules = ["timed", "easy", "easy-4", "conservative"];
const queues = [10, 100, 1000];
const perNode = 8;
const gpu = "nvidia.com/gpu";
const requests = new Map([["cpu", 4000], ["memory", 2 ** 30], ["pods", 1], [gpu, 1]]);

/** Measures each rule, with so many nodes. */
export function runPlanQueue({ nodes }: { nodes: number }): QueueRow[] {
  return rules.flatMap((rule) =>
    queues.map((queue) => {
      const world = fullWorld({ nodes, queue, rule });
      const first = timeOf(world, 0);
      const { byGroup } = first.plans;
      const waiting = world.waiting.map((group) => {
        const plan = byGroup.get(group.id);
        return { ...group, plan, reserved: plan?.reservation };
      });
      return { rule, queue, first: first.ms, again: timeOf({ ...world, waiting }, 1000).ms };
    })
  );
}

/** The times as a markdown table. */
export function planQueueTable(rows: readonly QueueRow[]): string {
  const text = (ms: number) => ms < 10 ? ms.toFixed(1) : ms.toFixed(0);
  return table(
    ["rule", "gangs that wait", "first plan, ms", "the next, ms"],
    rows.map(({ rule, queue, first, again }) => [rule, String(queue), text(first), text(again)]),
  );
}

function timeOf(world: World, now: number) {
  const startedAt = performance.now();
  const plans = plan(world, now);
  return { ms: performance.now() - startedAt, plans };
}

/** Gangs of 8 to 64 members have all nodes but a few GPUs, and end one after another; such gangs wait, too. */
function fullWorld(
  { nodes, queue, rule }: { nodes: number; queue: number; rule: string },
): World {
  const free: OwnRoom = new Map();
  const capacity: OwnRoom = new Map();
  for (let node = 0; node < nodes; node++) {
    const room = new Map([["cpu", 96_000], ["memory", 2 ** 40], ["pods", 110], [gpu, perNode]]);
    capacity.set(`n${node}`, room);
    free.set(`n${node}`, new Map([...room, [gpu, node % 16 === 0 ? 1 : 0]]));
  }
  const ending: Ending[] = [];
  for (let first = 0; first < nodes; first += 1 + ending.length % 8) {
    const count = Math.min(1 + (ending.length + 1) % 8, nodes - first);
    const uses = Array.from({ length: count }, (_, at) => ({
      node: `n${first + at}`,
      requests,
      count: (first + at) % 16 === 0 ? perNode - 1 : perNode,
    }));
    const endsAt = 60_000 * (1 + (ending.length * 7919) % 10_007);
    ending.push({ id: `default/running-${ending.length}`, endsAt, uses });
  }
  return {
    free,
    nodes: "the same",
    capacity: () => capacity,
    labelsOf: () => ({}),
    levels: [],
    nominated: [],
    takenBelow: () => [],
    waiting: Array.from({ length: queue }, (_, at) => waitingGang(at)),
    ...backfillOf(rule)!,
    ending: () => ending,
    settings: { matchPolicy: "once-satisfied" },
  };
}

function waitingGang(index: number): Waiting {
  const members = perNode * (1 + index % 8);
  const runTime: RunTime = { seconds: 60 * (1 + (index * 31) % 1440), source: "declared" };
  const candidates = Array.from({ length: members }, (): Candidate => ({
    requests,
    kind: "worker",
    mayRunOn: () => true,
  }));
  const gang = { namespace: "default", name: `gang-${index}`, minMember: members, createdAt: "" };
  const planned = {
    facts: { gang, census: { ...noMembers, pending: members }, held: [] },
    candidates,
    placed: [],
    minResources: new Map(),
    evictsBelow: -Infinity,
  };
  return {
    id: `default/gang-${index}`,
    priority: 0,
    gangs: () => [planned],
    isNeverWhole: false,
    plan: undefined,
    reserved: undefined,
    runTime,
    shortSince: 0,
    keepsUntil: 0,
  };
}
