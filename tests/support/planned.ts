/**
 * Small clusters, gangs that wait, and what the plan says of them.
 *
 * @module
 */
import { type GangSpec, noMembers } from "../../shared/core/gang/facts.ts";
import type { Composite } from "../../shared/core/gang/topology.ts";
import type { PlannedGang } from "../../shared/core/plan/demand.ts";
import type { Plan } from "../../shared/core/plan/plan.ts";
import { plan } from "../../shared/core/plan/planner.ts";
import type { Waiting, World } from "../../shared/core/plan/world.ts";
import type { Candidate, Use } from "../../shared/core/room/fit.ts";

/** What is free on a node, and its labels: `2 r1` is two GPUs in rack r1, `2 b1/r1` two in rack r1 of block b1. */
export type NodeText = string;

/** Members that are alike; one GPU each if nothing else is said. */
export interface Members {
  count: number;
  gpus?: number;
  /** Of a vendor's kind; the others of these tests are no devices by their name. */
  devices?: number;
  role?: string;
  exclusive?: string[];
  /** Nodes that they may run on, by name; absent: all. */
  on?: RegExp;
  hasPreference?: true;
}

/** A gang that waits. */
export interface WaitingGang extends Partial<Pick<GangSpec, "topology" | "roles" | "minMember">> {
  name: string;
  members: Members[];
  /** Members that have a node, by node, or by `role@node`; `a!` none beside another such. */
  placed?: string[];
  /** Of what priority pods do not leave for it any more; absent: none leaves. */
  evictsBelow?: number;
  /** What all nodes must have together. */
  minResources?: Record<string, number>;
  /** Further facts of its group. */
  group?: Partial<Waiting>;
}

/** Gangs in queue order on a cluster. */
export interface Situation {
  nodes: Record<string, NodeText>;
  gangs: WaitingGang[];
  levels?: string[];
  /** All gangs are one group, by this tree. */
  composite?: Composite;
  world?: Partial<World>;
}

/** A resource that is a device by its name. */
export const device = "vendor.example/gpu";

/** Milliseconds since the epoch. */
export const now = 1_000_000;

/** The plan of each gang, by its name; of a composite under its name. */
export function planned(situation: Situation): Record<string, Plan> {
  return plannedAll(situation).byGang;
}

/** The same, and what GPUs are left on each node. */
export function plannedAll(
  situation: Situation,
): { byGang: Record<string, Plan>; left: Record<string, number> } {
  const world = worldOf(situation);
  const { byGroup, spare } = plan(world, now);
  return {
    byGang: Object.fromEntries(
      [...byGroup].map(([id, plan]) => [id.replaceAll("default/", ""), plan]),
    ),
    left: Object.fromEntries(
      [...world.free.keys()].map((node) => [node, spare(node)!.get("gpu")!]),
    ),
  };
}

/** What plans are made of in such a situation. */
export function worldOf(
  { nodes, gangs, levels = [], composite, world }: Situation,
): World {
  const free = new Map(
    Object.entries(nodes).map(([name, text]) => [
      name,
      new Map([["gpu", Number(text.split(" ")[0])]]),
    ]),
  );
  const groups = composite ? [gangs] : gangs.map((gang) => [gang]);
  return {
    free,
    nodes: free,
    capacity: () => free,
    labelsOf: (node) => labelsOf(node, nodes[node] ?? ""),
    levels,
    nominated: [],
    takenBelow: () => [],
    waiting: groups.map((group) => waitingOf(group, composite)),
    backfillMs: Infinity,
    settings: { matchPolicy: "once-satisfied" },
    ...world,
  };
}

function labelsOf(host: string, text: NodeText): Record<string, string> {
  const values = text.split(" ")[1]?.split("/").toReversed() ?? [];
  const keys = ["rack", "block", "zone"];
  const labels = values.map((value, index) => [keys[index]!, value]).filter(([, value]) => value);
  return { host, ...Object.fromEntries(labels) };
}

function waitingOf(gangs: readonly WaitingGang[], composite: Composite | undefined): Waiting {
  return {
    id: gangs.map(({ name }) => `default/${name}`).join(),
    priority: 0,
    gangs: () => gangs.map(plannedGang),
    isNeverWhole: false,
    plan: undefined,
    reserved: undefined,
    composite,
    shortSince: undefined,
    keepsUntil: 0,
    ...gangs[0]!.group,
  };
}

function plannedGang(
  { name, members, placed = [], minMember, topology, roles, ...rest }: WaitingGang,
): PlannedGang {
  const candidates = members.flatMap(candidatesOf);
  const gang = {
    namespace: "default",
    name,
    minMember: minMember ?? candidates.length + placed.length,
    createdAt: "",
    topology,
    roles,
  };
  return {
    facts: {
      gang,
      census: { ...noMembers, pending: candidates.length, bound: placed.length },
      held: [],
    },
    candidates,
    placed: placed.map((text) => {
      const [place, role] = text.split("@").toReversed() as [string, string?];
      const own = { node: place.replace("!", ""), role, requests: new Map([["gpu", 1]]) };
      return place.endsWith("!") ? { ...own, exclusive: ["another member"] } : own;
    }),
    minResources: new Map(Object.entries(rest.minResources ?? {})),
    evictsBelow: rest.evictsBelow ?? -Infinity,
  };
}

function candidatesOf(
  { count, gpus = 1, devices = 0, role, exclusive, on, hasPreference }: Members,
): Candidate[] {
  const requests = new Map([["gpu", gpus], ...devices > 0 ? [[device, devices] as const] : []]);
  const more = [...devices > 0 ? [devices] : [], ...on ? [on.source] : []];
  const kind = JSON.stringify([gpus, exclusive, ...more]);
  return Array.from({ length: count }, () => ({
    requests,
    kind,
    role,
    exclusive,
    hasPreference,
    mayRunOn: (node) => on?.test(node) ?? true,
  }));
}

/** Members by node: those that are needed, and the others. */
export function placesOf({ taken = [], surplus = [] }: Plan): Record<string, number> {
  return countsOf([...taken, ...surplus], ({ node }) => node);
}

/** Members by role. */
export function rolesOf({ taken = [], surplus = [] }: Plan): Record<string, number> {
  return countsOf([...taken, ...surplus], ({ role = "" }) => role);
}

function countsOf(uses: readonly Use[], key: (use: Use) => string): Record<string, number> {
  const counts: Record<string, number> = {};
  for (const use of uses) counts[key(use)] = (counts[key(use)] ?? 0) + use.count;
  return counts;
}
