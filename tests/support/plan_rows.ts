/**
 * Clusters and queues in a few words, and what the plan says of each gang, in one line.
 *
 * @module
 */
import { assertEquals } from "@std/assert";
import { backfillOf } from "../../shared/core/gang/backfill.ts";
import type { Role, Topology } from "../../shared/core/gang/topology.ts";
import type { Claim } from "../../shared/core/plan/demand.ts";
import type { Plan } from "../../shared/core/plan/plan.ts";
import type { RunningPod } from "../../shared/core/plan/running.ts";
import type { Leaving } from "../../shared/core/plan/running.ts";
import type { Ending, World } from "../../shared/core/plan/world.ts";
import { planInShort } from "../../shared/core/record/plan_text.ts";
import type { Use } from "../../shared/core/room/fit.ts";
import { type Members, now, plannedAll, type Situation, type WaitingGang } from "./planned.ts";

/** A cluster and its queue. */
export interface PlanRow {
  /** `a 2 b1/r1, b 1+2/4 b1/r2`: free GPUs, then those of pods of a lower priority, then the node's own; block and rack. */
  readonly nodes: string;
  /**
   * The first in the queue first, what each is behind a colon:
   * `3x1:worker` three members with one GPU each in a role, `2x1!` none beside another such;
   * `min 2`; `in rack` required, `near rack block` preferred, `2 per rack` slices; `worker>=2 in rack` a role;
   * `has a worker@b b!` members that run, the last with no such beside it; `before a2 worker@b1` earlier places of members with one GPU,
   * `c1/g1` of a gang of a composite, whose first gang says it; `not a` a node that was refused;
   * `for 60` it runs for a minute; `p5` its priority; `all 4` its minResources, in GPUs; `kept` by a policy; `never` whole; `pauses` after a failed
   * round; `evicts-none` nobody leaves for it;
   * `short 30`: for so many seconds it has waited for nothing but room; `let-in 10`: it was, and keeps its room for so long;
   * `promised a1 b1 60`: where it is to start, and in how many seconds.
   */
  readonly gangs: readonly string[];
  readonly composite?: Situation["composite"];
  /** Node labels whose values repeat, the widest first. */
  readonly levels?: string;
  /** The relay evicts, and not the scheduler. */
  readonly evicts?: boolean;
  /** Who may pass gangs that wait, as backfill rules are written: all have waited for long. */
  readonly rule?: string;
  /** `x a2 60`: a gang that runs, where, and in how many seconds it ends; `x a2 0 leaving`: it has been asked to. */
  readonly ending?: string;
  /** `a 1 p5`: GPUs that a regular pod of priority 5 is going to take, for which victims leave. */
  readonly nominated?: string;
  /** `a 1 g0`: GPUs of a pod that leaves, for a gang. */
  readonly leaving?: string;
}

/** The plan of each gang, by its name; of a composite under its name. */
export function plansIn(row: PlanRow): Record<string, string> {
  const { nodes, gangs, levels, composite, rule } = row;
  const parsed = list(nodes).map((text) => nodeOf(text));
  const situation: Situation = {
    nodes: Object.fromEntries(
      parsed.map(({ name, free, labels }) => [name, `${free} ${labels}`]),
    ),
    gangs: gangs.map((text) => rule === undefined ? gangOf(text) : waitingLong(gangOf(text))),
    levels: levels?.split(" ") ?? [],
    ...(composite && { composite }),
    world: worldIn(parsed, row),
  };
  const { byGang, left } = plannedAll(situation);
  return {
    ...Object.fromEntries(Object.entries(byGang).map(([name, plan]) => [name, toldOf(plan)])),
    ...(rule !== undefined &&
      { left: Object.entries(left).map((node) => node.join(" ")).join(", ") }),
  };
}

function waitingLong(gang: WaitingGang): WaitingGang {
  return { ...gang, group: { shortSince: 0, ...gang.group } };
}

/** A test of each row, which is its name. */
export function checkPlans(rows: readonly (readonly [PlanRow, Record<string, string>])[]): void {
  for (const [row, plans] of rows) {
    const { nodes, gangs, composite, levels, evicts, rule, ending, nominated, leaving } = row;
    const more = [
      composite && `as ${JSON.stringify(composite)}`,
      levels && `by ${levels}`,
      evicts && "evicting",
      rule && `by rule ${rule}`,
      ending && `where ${ending} ends`,
      nominated && `where ${nominated} is nominated`,
      leaving && `where ${leaving} leaves`,
    ].filter(Boolean).join(" ");
    Deno.test(`plan: ${gangs.join("; ")} on ${nodes} ${more}`, () =>
      assertEquals(plansIn(row), plans));
  }
}

function toldOf(plan: Plan): string {
  const { fit: { domains, impossible, minResources, leaving }, taken = [], surplus = [] } = plan;
  const { reservation } = plan;
  const roles = [...taken, ...surplus].some(({ role }) => role);
  return [
    planInShort(plan),
    roles && `roles ${rolesIn(taken)}${surplus.length > 0 ? ` beside ${rolesIn(surplus)}` : ""}`,
    domains &&
    `${domains.key} ${domains.best.map(({ name, members }) => `${name} ${members}`).join(", ")}`,
    impossible && `${impossible.asks} of ${impossible.largest} possible`,
    minResources && `free ${minResources.free} of ${minResources.asks} for ${minResources.members}`,
    leaving && !plan.clearance && `${leaving.first.join(" ")} would leave`,
    reservation?.uses.some(({ role, gang }) => role || gang) && `then ${laterIn(reservation.uses)}`,
    reservation?.after && `after ${reservation.after}${reservation.isOverdue ? ", overdue" : ""}`,
    reservation?.domain && `in ${reservation.domain}`,
  ].filter(Boolean).join("; ");
}

function rolesIn(uses: readonly Use[]): string {
  return uses.map(({ role = "none", node, count }) => `${role}@${node} ${count}`).join(", ");
}

/** Where a group is going to start: of which gang and role the members are that go there. */
function laterIn(uses: readonly Use[]): string {
  return uses.map(({ gang = "default/its", role = "members", node, count }) =>
    `${gang.slice(8)} ${role} on ${node} ${count}`
  ).join(", ");
}

interface NodeRow {
  readonly name: string;
  readonly free: number;
  readonly low: number;
  readonly own: number;
  readonly labels: string;
}

function nodeOf(text: string): NodeRow {
  const [name, amounts, labels = ""] = text.split(" ") as [string, string, string?];
  const [, free, low = 0, own] = amounts.match(/^(\d+)(?:\+(\d+))?(?:\/(\d+))?$/)!.map(Number);
  const lower = Number.isNaN(low) ? 0 : low;
  const all = own === undefined || Number.isNaN(own) ? free! + lower : own;
  return { name, free: free!, low: lower, own: all, labels };
}

function worldIn(
  nodes: readonly NodeRow[],
  { evicts, rule, ending, nominated, leaving }: PlanRow,
): Partial<World> {
  const gpus = (count: number) => new Map([["gpu", count]]);
  const capacity = new Map(nodes.map(({ name, own }) => [name, gpus(own)]));
  const taken: Claim[] = nodes.flatMap(({ name, low }) =>
    low > 0 ? [{ node: name, priority: -1, requests: gpus(low) }] : []
  );
  const pods = nodes.flatMap(({ name, low }): RunningPod[] =>
    Array.from({ length: low }, (_, at) => ({
      uid: `${name}-${at}`,
      name: `default/${name}-${at}`,
      node: name,
      priority: -1,
      requests: gpus(1),
      startedAt: at,
      budgets: [],
    }))
  );
  return {
    capacity: () => capacity,
    takenBelow: (below) => taken.filter(({ priority }) => priority < below),
    ...(evicts && {
      evictions: {
        running: () => ({ pods, gangs: new Map(), budgets: new Map() }),
        leaving: () => list(leaving).map(leavingOf),
      },
    }),
    ...(rule !== undefined && backfillOf(rule)),
    ...(ending && { ending: () => list(ending).map(endingOf) }),
    ...(nominated && { nominated: list(nominated).map(claimOf) }),
  };
}

function endingOf(text: string): Ending {
  const [name, place, seconds, isLeaving] = text.split(" ") as [string, string, string, string?];
  return {
    id: `default/${name}`,
    endsAt: inSeconds(Number(seconds)),
    isLeaving: isLeaving !== undefined,
    uses: [useOf(place)],
  };
}

function claimOf(text: string): Claim {
  const [node, gpus, priority] = text.split(" ") as [string, string, string];
  return { node, requests: new Map([["gpu", Number(gpus)]]), priority: Number(priority.slice(1)) };
}

function leavingOf(text: string): Leaving {
  const [node, gpus, gang] = text.split(" ") as [string, string, string?];
  const requests = new Map([["gpu", Number(gpus)]]);
  return { node, requests, name: `default/${node}-left`, ...(gang && { for: `default/${gang}` }) };
}

/** A gang as {@linkcode PlanRow} writes it. */
function gangOf(text: string): WaitingGang {
  const [name, rest] = text.split(": ") as [string, string];
  const gang: { -readonly [Name in keyof WaitingGang]: WaitingGang[Name] } = {
    name,
    members: [],
    evictsBelow: 0,
  };
  const roles: Role[] = [];
  for (const part of list(rest)) {
    const members = part.match(/^(\d+)x(\d+)(!?)(?::(\S+))?$/);
    const role = part.match(/^(\S+)>=(\d+)(?: (.+))?$/);
    if (members) gang.members.push(membersOf(members));
    else if (role) {
      const [, name, min, where] = role;
      const topology = where === undefined ? undefined : topologyOf(where, undefined);
      roles.push({ name: name!, min: Number(min), topology });
    } else if (part.startsWith("min ")) gang.minMember = Number(part.slice(4));
    else if (part.startsWith("has ")) gang.placed = part.slice(4).split(" ");
    else if (part.startsWith("before ")) {
      gang.group = { ...gang.group, before: part.slice(7).split(" ").map(useOf) };
    } else if (part.startsWith("not ")) {
      gang.group = {
        ...gang.group,
        refused: new Map([[kindOfOne, { more: new Map([[part.slice(4), 0]]) }]]),
      };
    } else if (part.startsWith("for ")) {
      const seconds = Number(part.slice(4));
      gang.group = { ...gang.group, runTime: { seconds, source: "declared" } };
    } else if (/^p\d+$/.test(part)) {
      gang.group = { ...gang.group, priority: Number(part.slice(1)) };
    } else if (part.startsWith("all ")) gang.minResources = { gpu: Number(part.slice(4)) };
    else if (part === "kept") gang.group = { ...gang.group, isKeptByPolicy: true };
    else if (part === "pauses") gang.group = { ...gang.group, isPausing: true };
    else if (part === "evicts-none") gang.evictsBelow = -Infinity;
    else if (part === "never") gang.group = { ...gang.group, isNeverWhole: true };
    else if (part.startsWith("short ")) {
      gang.group = { ...gang.group, shortSince: inSeconds(-Number(part.slice(6))) };
    } else if (part.startsWith("let-in ")) {
      gang.group = { ...gang.group, keepsUntil: inSeconds(Number(part.slice(7))) };
    } else if (part.startsWith("promised ")) {
      const places = part.slice(9).split(" ");
      const startsAt = inSeconds(Number(places.pop()));
      gang.group = { ...gang.group, reserved: { startsAt, uses: places.map(useOf) } };
    } else gang.topology = topologyOf(part, gang.topology);
  }
  return { ...gang, ...(roles.length > 0 && { roles }) };
}

function membersOf([, count, gpus, isApart, role]: RegExpMatchArray): Members {
  return {
    count: Number(count),
    gpus: Number(gpus),
    ...(role && { role }),
    ...(isApart && { exclusive: ["another member"] }),
  };
}

function topologyOf(text: string, topology: Topology | undefined): Topology {
  const [first, ...keys] = text.split(" ") as [string, ...string[]];
  if (first === "in") return { ...topology, required: keys[0] };
  if (first === "near") return { ...topology, preferred: keys };
  if (keys[0] === "per") return { ...topology, slice: { key: keys[1]!, members: Number(first) } };
  throw new Error(`"${text}" says nothing of a gang`);
}

function inSeconds(seconds: number): number {
  return now + 1000 * seconds;
}

/** Of members with one GPU. */
const kindOfOne = JSON.stringify([1, undefined]);

function useOf(text: string): Use {
  const [, role, node, count, gang] = text.match(/^(?:(\w+)@)?(\D+)(\d+)(?:\/(\w+))?$/)!;
  return {
    node: node!,
    count: Number(count),
    kind: kindOfOne,
    requests: new Map([["gpu", 1]]),
    ...(role !== undefined && { role }),
    ...(gang !== undefined && { gang: `default/${gang}` }),
  };
}

function list(text = ""): string[] {
  return text === "" ? [] : text.split(", ");
}
