/**
 * Clusters whose pods may have to leave, and who does.
 *
 * @module
 */
import type { Floor } from "../../shared/core/plan/clearing.ts";
import { evictionFor } from "../../shared/core/plan/eviction.ts";
import { Looks } from "../../shared/core/plan/looks.ts";
import type {
  Running,
  RunningGang,
  RunningPod,
  RunningTree,
} from "../../shared/core/plan/running.ts";
import { type Candidate, copyOf, take } from "../../shared/core/room/fit.ts";
import { type Amounts, nodes, place, resources } from "./rooms.ts";

/** A pod that runs; by default it asks for one GPU and is of priority 0. */
export interface Runs {
  readonly name: string;
  readonly node: string;
  readonly asks?: Amounts;
  readonly priority?: number;
  readonly startedAt?: number;
  readonly gang?: string;
  readonly role?: string;
  readonly budgets?: readonly string[];
  readonly isHeld?: boolean;
}

/** What is known of a gang beside its members that run. */
export interface Declared {
  readonly minMember: number;
  readonly disruption?: RunningGang["disruption"];
  /** So many members have succeeded. */
  readonly succeeded?: number;
  readonly roles?: Readonly<Record<string, number>>;
}

/** A cluster, and members that all need room at once. */
export interface Crowd {
  readonly nodes: Readonly<Record<string, Amounts>>;
  readonly pods: readonly Runs[];
  readonly gangs?: Readonly<Record<string, Declared>>;
  /** What the gangs are in. */
  readonly trees?: readonly RunningTree[];
  /** So many pods under each may leave. */
  readonly budgets?: Readonly<Record<string, number>>;
  readonly members: readonly Candidate[];
  /** Of what priority they are: by default 1. */
  readonly priority?: number;
}

/** Pods on nodes, in the order in which they began to run. */
export function pods(placed: Record<string, string>, common: Partial<Runs> = {}): Runs[] {
  return Object.entries(placed).map(([name, node], startedAt) => ({
    name,
    node,
    startedAt,
    ...common,
  }));
}

/** Nodes that are alike. */
export function alike(count: number, gpu: number): Crowd["nodes"] {
  return Object.fromEntries(
    Array.from({ length: count }, (_, index) => [`node${index + 1}`, { gpu }]),
  );
}

/** What is free in a crowd, to place all of its members on, or none. */
export function floorIn(crowd: Crowd): Floor {
  const room = copyOf(freeIn(crowd));
  const { members } = crowd;
  return {
    take: (pods, sign) => {
      for (const { node, requests } of pods) take(room, node, { requests, sign });
    },
    place: () => {
      const { fit, uses } = place(members, { room: copyOf(room), enough: members.length });
      return fit.members < fit.of ? undefined : uses;
    },
    holds: undefined,
  };
}

/** The pods of a crowd as evictions know them. */
export function runningIn(
  { pods, gangs = {}, trees, budgets = {}, priority = 1 }: Crowd,
): Running {
  const all = pods.map(runningPod);
  const evictable = all.filter((pod) => pod.priority < priority);
  return {
    pods: evictable,
    trees,
    gangs: new Map(
      Object.entries(gangs).map(([id, declared]) => [id, runningGang(declared, id, all)]),
    ),
    budgets: new Map(Object.entries(budgets)),
  };
}

/** What is free in a crowd. */
export function freeIn({ nodes: all, pods }: Crowd) {
  const room = nodes(all);
  for (const { node, requests } of pods.map(runningPod)) take(room, node, { requests });
  return room;
}

/** Who leaves, by name; undefined: the members find no room by it. */
export function victimsIn(crowd: Crowd): string[] | undefined {
  const found = evictionFor({
    floor: () => floorIn(crowd),
    running: runningIn(crowd),
    looks: new Looks(),
  });
  return found?.victims.map(({ uid }) => uid).sort();
}

function runningPod({ name, asks = { gpu: 1 }, ...rest }: Runs): RunningPod {
  return {
    uid: name,
    name: `default/${name}`,
    requests: resources(asks),
    priority: 0,
    startedAt: 0,
    budgets: [],
    ...rest,
  };
}

function runningGang(
  { minMember, disruption = "gang", succeeded = 0, roles = {} }: Declared,
  id: string,
  pods: readonly RunningPod[],
): RunningGang {
  const own = pods.filter(({ gang, isHeld }) => gang === id && !isHeld);
  return {
    disruption,
    minMember,
    bound: own.length,
    succeeded,
    roles: Object.entries(roles).map(([name, min]) => ({
      name,
      min,
      bound: own.filter(({ role }) => role === name).length,
    })),
  };
}
