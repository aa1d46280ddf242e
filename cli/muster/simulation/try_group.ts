/**
 * What becomes of a gang group when it is its turn.
 *
 * @module
 */
import type { Cluster } from "../../../shared/cluster/cluster.ts";
import { domainOf } from "../../../shared/cluster/domain.ts";
import type { GangGroup } from "../../../shared/cluster/gang_group.ts";
import { type PlannedPlace, plannedPlaces } from "../../../shared/cluster/planned_places.ts";
import { longestRunTime, worldOf } from "../../../shared/cluster/planned_world.ts";
import type { PodRecord } from "../../../shared/cluster/pod_record.ts";
import { snapshotOf } from "../../../shared/cluster/snapshot.ts";
import { followPromise } from "../../../shared/core/attend/promise.ts";
import type { Group } from "../../../shared/core/gang/facts.ts";
import type { StartEstimate } from "../../../shared/core/gang/gang_times.ts";
import { groupMissing } from "../../../shared/core/gang/quorum.ts";
import type { Plan } from "../../../shared/core/plan/plan.ts";
import { plan } from "../../../shared/core/plan/planner.ts";
import type { Admission } from "../../../shared/core/stage/decision.ts";
import { emptyState } from "../../../shared/core/stage/state.ts";
import { step } from "../../../shared/core/stage/step.ts";
import { whyLeftOut } from "../../../shared/core/stage/why_left_out.ts";
import { title, whyPending } from "../../../shared/core/words/why_pending.ts";
import { isIndifferent } from "../../../shared/kubernetes/counting/preference.ts";
import type { Deciding } from "../../policy/deciding.ts";
import { attempt } from "./attempt.ts";
import { type Asked, ownWord } from "./own_policy.ts";
import type { SimulationOptions } from "./simulation_options.ts";
import { unmodelled } from "./unmodelled.ts";
import { type Found, namesOf, waiting } from "./verdict.ts";

/** A group's turn: what has been decided before it, and by what it is. */
export interface Turn {
  readonly cluster: Cluster;
  /** Extended resources that DeviceClasses serve. */
  readonly served: ReadonlySet<string>;
  readonly refused: readonly GangGroup[];
  readonly options: SimulationOptions;
  readonly asked: Asked;
}

/** Whether the group starts, and where; those that leave for it are gone from the cluster then. */
export function* tryGroup(group: GangGroup, turn: Turn): Deciding<Found> {
  const { cluster, options: { settings } } = turn;
  const facts = factsOf(group, cluster);
  const found = aboutGroup(group, { facts, turn });
  const { outcome, estimate, clearance } = yield* judged(group, { facts, turn });
  const { verdict, reason, message, needs } = outcome;
  if (verdict === "reject") {
    return waiting(found, { ...(estimate && { estimate }), reason, message });
  }
  const evicted = (clearance?.victims ?? []).flatMap((uid) => cluster.pods.get(uid) ?? []);
  for (const { pod } of evicted) cluster.podDeleted(pod);
  const cleared = planOf(group, turn);
  const attempted = isSteered(group, { plan: cleared, evicted, cluster })
    ? { placed: plannedPlaces(group, cleared), victims: evicted }
    : attempt(group.gangs, {
      cluster,
      needs: needs ?? { [group.gangs[0]!.id]: groupMissing(facts, settings) },
    });
  if ("unplaced" in attempted) return waiting(found, whyUnplaced(attempted.unplaced));
  const leftOut = cleared.leftOut?.map(({ part, fit }) => ({ part, ...(fit && { fit }) })) ?? [];
  const why = Object.values(whyLeftOut({ ...facts, leftOut }, settings) ?? {});
  if (attempted.placed.length === 0 && why[0]) return waiting(found, why[0]);
  const waits = [...new Set(why.map(({ message }) => message))];
  const domains = domainsOf(group, { placed: attempted.placed, cluster });
  const starting = {
    ...found,
    starts: true,
    reason,
    message,
    ...(waits.length > 0 && { leftOut: waits }),
    ...namesOf(attempted),
    ...(domains.length > 0 && { domains }),
  };
  return { verdict: starting, ...attempted };
}

/** Thousands of members may each declare their gang otherwise. */
const mostWarnings = 10;

/** What is said of a group whether it starts or not. */
function aboutGroup(
  group: GangGroup,
  { facts, turn: { served, options } }: { facts: Group; turn: Turn },
) {
  const runTime = longestRunTime(group.gangs);
  const warnings = group.gangs.flatMap((gang) => gang.read().warnings)
    .map(({ message }) => message).slice(0, mostWarnings);
  return {
    title: title(facts),
    ...(runTime && { runTime }),
    ...(warnings.length > 0 && { warnings }),
    gangs: group.gangs.map(({ id }) => id),
    ...(isLeftToAdmission(group, options) && { namesNoScheduler: true as const }),
    notModelled: [...new Set(membersOf(group).flatMap(({ pod }) => unmodelled(pod, served)))],
  };
}

/** Whether a group may start, as policy has it; when it is going to, and who leaves for it. */
function* judged(
  group: GangGroup,
  { facts, turn }: { facts: Group; turn: Turn },
): Deciding<{
  outcome: Admission;
  estimate: StartEstimate | undefined;
  clearance: Plan["clearance"];
}> {
  const { options: { settings, now }, asked } = turn;
  const planned = planOf(group, turn);
  const { ahead, clearance } = planned;
  const estimate = followPromise(undefined, { plan: planned, now }).promised?.said;
  const fit = clearance ? { members: planned.fit.of, of: planned.fit.of } : planned.fit;
  const event = { stage: "prefilter", group: facts, fit, ahead, estimate, settings } as const;
  const admission = step(emptyState, event, now).outcome;
  const policy = yield* ownWord(facts, { admission, asked });
  const outcome = policy ? step(emptyState, { ...event, policy }, now).outcome : admission;
  return { outcome, estimate, clearance };
}

/** Where a group goes as the cluster is now, behind those that were refused before it. */
function planOf(
  group: GangGroup,
  { cluster, refused, options: { settings, now, backfill } }: Turn,
): Plan {
  const world = { cluster, backfill, settings, evicts: true, isSimulated: true, now };
  return plan(worldOf([...refused, group], world), now).byGroup.get(group.id)!;
}

function whyUnplaced({ pod, gang }: PodRecord) {
  const message =
    "no node has room for it once the others are on the nodes that the scheduler scores highest";
  const failed = [{ uid: pod.metadata.uid, name: pod.metadata.name, message }];
  return whyPending({ reason: "MemberUnschedulable", gang: gang!, failed });
}

/** The facts of a group as they are now. */
export function factsOf(group: GangGroup, cluster: Cluster): Group {
  const relay = { id: "simulation", epoch: 1 };
  return snapshotOf(group, { relay, cluster }).group;
}

function isLeftToAdmission(group: GangGroup, { schedulerNames }: SimulationOptions): boolean {
  return schedulerNames?.includes("default-scheduler") === false &&
    membersOf(group).some(({ pod }) => pod.spec.schedulerName === undefined);
}

/** Whether its members go where they are planned; otherwise the scheduler chooses. */
function isSteered(
  group: GangGroup,
  { plan, evicted, cluster }: { plan: Plan; evicted: readonly PodRecord[]; cluster: Cluster },
): boolean {
  const { nodes } = cluster.room;
  const members = membersOf(group);
  const isApart = members.some(({ exclusive }) => exclusive.length > 0);
  const isFree = (plan.steering ?? "free") === "free";
  if (evicted.length > 0 || isApart || !isFree) return true;
  return members.every(({ pod }) => isIndifferent(pod, nodes.values()));
}

/** The domains that its members run in, in words. */
function domainsOf(
  group: GangGroup,
  { placed, cluster }: { placed: readonly PlannedPlace[]; cluster: Cluster },
): string[] {
  const gangs = new Map(group.gangs.map((gang) => [gang.id, gang]));
  const names = placed.flatMap(({ record, node }) =>
    domainOf(node, { record, gang: gangs.get(record.gang!)!, cluster }) ?? []
  );
  return [...new Set(names)].sort();
}

/** The members of all gangs of a group. */
export function membersOf(group: GangGroup): PodRecord[] {
  return group.gangs.flatMap((gang) => [...gang.members.values()]);
}
