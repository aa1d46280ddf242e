/**
 * What plans are made of, taken from a copy of the cluster.
 *
 * @module
 */
import { Carried } from "../core/gang/carried.ts";
import { hasNoUseForRoom, isKeptByPolicy, isPausing } from "../core/attend/standing.ts";
import { stillRefused } from "../core/attend/refused_nodes.ts";
import { maySpendEvictions } from "../core/attend/vain_evictions.ts";
import type { PlannedGang } from "../core/plan/demand.ts";
import type { Waiting, World } from "../core/plan/world.ts";
import type { Backfill } from "../core/gang/backfill.ts";
import type { QuorumSettings } from "../core/gang/quorum.ts";
import type { RunTime } from "../core/gang/run_time.ts";
import { memberClassOf } from "../kubernetes/counting/census.ts";
import { fewRules } from "../kubernetes/counting/node_match.ts";
import { hasPreference } from "../kubernetes/counting/preference.ts";
import { amountsOf } from "../kubernetes/counting/requests.ts";
import { alikeOn } from "./alike_on.ts";
import type { Cluster } from "./cluster.ts";
import type { Gang } from "./gang.ts";
import type { GangGroup } from "./gang_group.ts";
import { isPlannedLast, lowestPriority } from "./planned_last.ts";
import { endingIn } from "./ending.ts";
import { nodeOf, type PodRecord } from "./pod_record.ts";
import { evictionsIn } from "./running.ts";
import { gangFactsOf } from "./snapshot.ts";
import { mayUseRoom, untriedFrom } from "./untried.ts";

/** Where plans take their facts from. */
export interface Planned {
  readonly cluster: Cluster;
  /** How room is kept for gangs that wait. */
  readonly backfill: Backfill;
  readonly settings: QuorumSettings;
  /** Pods are evicted for whole groups, and not by the scheduler; absent: they are not. */
  readonly evicts?: boolean | undefined;
  /** No scheduler is there that could be seen to try members. */
  readonly isSimulated?: boolean | undefined;
  /** In ms since the epoch. */
  readonly now: number;
}

/** The cluster, and these groups in queue order. */
export function worldOf(groups: readonly GangGroup[], planned: Planned): World {
  const { cluster, backfill, settings } = planned;
  return {
    free: cluster.room.free,
    nodes: cluster.room.nodesNow,
    capacity: () => cluster.room.capacity(),
    labelsOf: (node) => cluster.room.nodes.get(node)?.metadata.labels ?? {},
    levels: cluster.levels.map(({ key }) => key),
    nominated: cluster.regularPods.claims(),
    takenBelow: (priority) => cluster.room.taken.below(priority),
    ...(planned.evicts && { evictions: evictionsIn(cluster, planned.now) }),
    waiting: waitingIn(groups, planned),
    ending: () => endingIn(cluster, planned.now),
    ...backfill,
    settings,
  };
}

/** A group as plans look at it, and what it was taken from. */
interface Known {
  readonly waiting: Waiting;
  /** Room is of no use to it. */
  readonly isLast: boolean;
  readonly attended: GangGroup["attended"];
  readonly versions: GangGroup["versions"];
  readonly cluster: Cluster;
}

/** Most groups of a queue are to plans what they were to the last one. */
const known = new Carried<GangGroup, Known>();

/** Those to which room is of no use come last, as if of the lowest priority. */
function waitingIn(groups: readonly GangGroup[], planned: Planned): Waiting[] {
  const [others, last]: [Waiting[], Waiting[]] = [[], []];
  for (const group of groups) {
    const { waiting, isLast } = knownOf(group, planned);
    (isLast ? last : others).push(waiting);
  }
  return [...others, ...last];
}

function knownOf(group: GangGroup, planned: Planned): Known {
  const { cluster } = planned;
  const { attended, versions } = group;
  const before = known.of(group);
  const isStill = before?.attended === attended && before.versions === versions &&
    before.cluster === cluster;
  if (isStill) return before;
  const isLast = isPlannedLast(group, planned.now);
  const waiting = waitingOf(group, planned, isLast);
  const now = { waiting, isLast, attended, versions, cluster };
  if (!changesByTime(group)) known.put(group, now);
  return now;
}

/** Whether plans look at it otherwise after a while though nothing happens to it. */
function changesByTime(group: GangGroup): boolean {
  const { standing, refusedNodes, vainEvictions } = group.attended;
  return standing.phase === "let in" || refusedNodes.size > 0 || vainEvictions !== undefined ||
    untriedFrom(group) < Infinity;
}

function waitingOf(group: GangGroup, planned: Planned, isLast: boolean): Waiting {
  const { cluster, now } = planned;
  const { id, gangs, attended, composite } = group;
  const { standing, plan, reserved, placement, refusedNodes, nominated } = attended;
  // Where the scheduler evicts, it tries the member.
  const isShown = !planned.evicts || planned.isSimulated || mayUseRoom(group);
  const evicts = !isLast && isShown && maySpendEvictions(attended, now);
  const priorities = gangs.map((gang) => gang.read().spec.priority ?? 0);
  return {
    id,
    priority: isLast ? lowestPriority : Math.max(...priorities),
    gangs: () => gangs.map((gang) => plannedGangOf(gang, { cluster, evicts })),
    isNeverWhole: hasNoUseForRoom(standing),
    isKeptByPolicy: isKeptByPolicy(standing),
    isPausing: isLast || isPausing(standing),
    plan,
    reserved,
    before: placement.uses,
    refused: stillRefused(refusedNodes, {
      changedAt: (node) => cluster.room.changedAt(node),
      now,
      alikeOn: (kind) => alikeOn(group, kind),
    }),
    composite,
    isCleared: attended.clearance !== undefined,
    nominated,
    shortSince: attended.shortSince,
    keepsUntil: isLast ? 0 : attended.keepsUntil,
    runTime: longestRunTime(gangs),
  };
}

/** A group runs until all of its gangs have ended; undefined: of one nobody knows when that is. */
export function longestRunTime(gangs: readonly Gang[]): RunTime | undefined {
  const all = gangs.map((gang) => gang.runTime);
  if (!all.every((each) => each !== undefined)) return undefined;
  return all.reduce((a, b) => b.seconds > a.seconds ? b : a);
}

/** What gangs of a queue are to plans, of which most have not changed since the last one. */
const remembered = new Carried<
  object,
  { planned: PlannedGang; cluster: Cluster; evicts: boolean }
>();

function plannedGangOf(gang: Gang, by: { cluster: Cluster; evicts: boolean }): PlannedGang {
  const last = remembered.of(gang.version);
  if (last?.cluster === by.cluster && last.evicts === by.evicts) return last.planned;
  const planned = newPlannedGangOf(gang, by);
  remembered.put(gang.version, { planned, ...by });
  return planned;
}

function newPlannedGangOf(
  gang: Gang,
  { cluster, evicts }: { cluster: Cluster; evicts: boolean },
): PlannedGang {
  const { spec, problem } = gang.read();
  const members = gang.counted();
  const mayPreempt = evicts && members.every(({ pod }) => pod.spec.preemptionPolicy !== "Never");
  const candidates: PlannedGang["candidates"][number][] = [];
  const placed: PlannedGang["placed"][number][] = [];
  for (const record of members) {
    const node = nodeOf(record);
    if (node !== undefined) placed.push({ node, ...asksOf(record, gang) });
    else if (memberClassOf(record) === "pending") {
      candidates.push(candidateOf(record, { gang, cluster }));
    }
  }
  return {
    facts: { ...gangFactsOf(gang), ...(problem && { problem }) },
    candidates,
    placed,
    minResources: amountsOf(spec.minResources),
    evictsBelow: mayPreempt ? spec.priority ?? 0 : -Infinity,
  };
}

function candidateOf(
  record: PodRecord,
  { gang, cluster }: { gang: Gang; cluster: Cluster },
): PlannedGang["candidates"][number] {
  const { pod, kind, rules } = record;
  return {
    uid: pod.metadata.uid,
    kind,
    ...asksOf(record, gang),
    ...(hasPreference(pod) && { hasPreference: true }),
    ...(rules > fewRules && { rules }),
    mayRunOn: (node) => cluster.room.mayRunOn(record, node),
  };
}

/** What a member takes of its node. */
function asksOf(
  record: PodRecord,
  gang: Gang,
): Pick<PlannedGang["candidates"][number], "requests" | "role" | "exclusive"> {
  const { requests, exclusive } = record;
  const role = gang.roleOf(record);
  return {
    requests,
    ...(role !== undefined && { role }),
    ...(exclusive.length > 0 && { exclusive }),
  };
}
