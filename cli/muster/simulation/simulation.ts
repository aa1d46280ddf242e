/**
 * Which gangs would start, in which order, and where: the policy and the fit that a relay and its functions decide by, over
 * a copy of a cluster in which time does not pass.
 *
 * @module
 */
import { Cluster, type ClusterOptions } from "../../../shared/cluster/cluster.ts";
import type { PodRecord } from "../../../shared/cluster/pod_record.ts";
import type { GangGroup } from "../../../shared/cluster/gang_group.ts";
import { GroupTable } from "../../../shared/cluster/group_table.ts";
import { domainOf } from "../../../shared/cluster/domain.ts";
import { type PlannedPlace, plannedPlaces } from "../../../shared/cluster/planned_places.ts";
import { longestRunTime, worldOf } from "../../../shared/cluster/planned_world.ts";
import { followPromise } from "../../../shared/core/attend/promise.ts";
import type { Backfill } from "../../../shared/core/gang/backfill.ts";
import type { StartEstimate } from "../../../shared/core/gang/gang_times.ts";
import type { RunTime } from "../../../shared/core/gang/run_time.ts";
import type { Plan } from "../../../shared/core/plan/plan.ts";
import { plan } from "../../../shared/core/plan/planner.ts";
import { snapshotOf } from "../../../shared/cluster/snapshot.ts";
import type { StageName } from "../../../shared/core/attend/own_stage.ts";
import { gangId, type Group } from "../../../shared/core/gang/facts.ts";
import { mismatch } from "../../../shared/core/stage/gang_obstacle.ts";
import { whyLeftOut } from "../../../shared/core/stage/why_left_out.ts";
import { groupMissing, missing } from "../../../shared/core/gang/quorum.ts";
import { queueKeys, type QueueUnit } from "../../../shared/core/queue/order.ts";
import type { Settings } from "../../../shared/core/gang/settings.ts";
import { emptyState } from "../../../shared/core/stage/state.ts";
import { step } from "../../../shared/core/stage/step.ts";
import { quoted } from "../../../shared/core/words/text.ts";
import { title, whyPending } from "../../../shared/core/words/why_pending.ts";
import { memberClassOf } from "../../../shared/kubernetes/counting/census.ts";
import { servedBy } from "../../../shared/kubernetes/counting/device_class.ts";
import { isIndifferent } from "../../../shared/kubernetes/counting/preference.ts";
import type { TopologyLevel } from "../../../shared/kubernetes/declaring/topology_level.ts";
import { decided, type Deciding, stagesOf } from "../../policy/deciding.ts";
import type { LoadedPolicy } from "../../policy/load_policy.ts";
import { attempt } from "./attempt.ts";
import type { Objects } from "./manifests.ts";
import { type Asked, ownKeys, ownWord } from "./own_policy.ts";
import { unmodelled } from "./unmodelled.ts";

/** What would become of a gang group, or of a pod without a gang. */
export interface Verdict {
  /** `gang ns/a`, `gang group ns/a, ns/b`, or `pod ns/p`. */
  readonly title: string;
  /** `namespace/name` of its gangs; none for a pod without a gang. */
  readonly gangs: readonly string[];
  /** Whether its quorum finds nodes. */
  readonly starts: boolean;
  /** Place among those that start, from 1 on. */
  readonly order?: number;
  readonly reason: string;
  readonly message: string;
  /** When it would start, where it waits for what runs to end. */
  readonly estimate?: StartEstimate;
  /** How long it runs, where that is known. */
  readonly runTime?: RunTime;
  /** None of its pods is Muster's to place: it has no part in the queue. */
  readonly isForeign?: true;
  /** Where its pods could go: nodes by `namespace/name` of the pod. */
  readonly nodes: Readonly<Record<string, string>>;
  /** Those that hold its members where it declares a topology: `rack r1`. */
  readonly domains?: readonly string[];
  /** Pods, by `namespace/name`, that would be evicted for it. */
  readonly evicts: readonly string[];
  /** Why gangs wait that it starts without. */
  readonly leftOut?: readonly string[];
  /** It is Muster's to place only where admission names Muster's scheduler for its pods. */
  readonly namesNoScheduler?: true;
  /** Constraints of its pods that are not modelled: the scheduler may find no node where this verdict names one. */
  readonly notModelled: readonly string[];
}

/** How to decide. */
export interface SimulationOptions {
  readonly settings: Settings;
  /** Milliseconds since the epoch. */
  readonly now: number;
  /** As `--backfill` of `deno task start`. */
  readonly backfill: Backfill;
  /** Those that Muster serves; absent: any. */
  readonly schedulerNames?: readonly string[];
  /** Of the network, the widest first; absent: none are named. */
  readonly levels?: readonly TopologyLevel[];
  /** How long a gang is taken to run of which nothing else is known, in seconds; absent: nobody knows. */
  readonly expectedSeconds?: number | undefined;
}

/** Something that queues. */
interface Unit {
  readonly id: string;
  readonly group?: GangGroup;
  readonly record?: PodRecord;
}

/** Simulates what waits in a cluster, in queue order. */
export function simulate(objects: Objects, options: SimulationOptions): Verdict[] {
  const { value } = decide(objects, { ...options, stages: [] }).next();
  return value as Verdict[];
}

/** The same, where a policy of one's own answers some stages. */
export async function simulateWith(
  policy: LoadedPolicy,
  { objects, options }: { objects: Objects; options: SimulationOptions },
): Promise<Verdict[]> {
  return await decided(decide(objects, { ...options, stages: stagesOf(policy) }), policy);
}

/** Yields what the stages of a policy are asked, and goes on with their answers. */
function* decide(
  objects: Objects,
  options: SimulationOptions & { readonly stages: readonly StageName[] },
): Deciding<Verdict[]> {
  const { cluster, groups } = clusterOf(objects, { ...options, clock: () => options.now });
  const served = new Set(objects.deviceClasses.flatMap(servedBy));
  const refused: GangGroup[] = [];
  const verdicts: Verdict[] = [];
  let started = 0;
  const asked = { cluster, stages: options.stages, now: options.now };
  for (const unit of yield* inOrder(waitingUnits(cluster, groups), { ...options, ...asked })) {
    const found = unit.group
      ? yield* tryGroup(unit.group, { cluster, served, refused, options, asked })
      : tryPod(unit.record!, { cluster, served });
    const { starts, reason } = found.verdict;
    // What waits for a policy keeps no room from others.
    if (!starts && unit.group && reason !== "CustomPolicy") refused.push(unit.group);
    for (const victim of found.victims) cluster.podDeleted(victim.pod);
    for (const { record, node } of found.placed) cluster.podBound(record, node);
    verdicts.push(found.verdict.starts ? { ...found.verdict, order: ++started } : found.verdict);
  }
  const others = [...groups].filter(({ isForeign }) => isForeign);
  return [
    ...verdicts,
    ...others.flatMap((group) => foreignVerdict(factsOf(group, cluster), options.settings)),
    ...[...cluster.pods.values()].flatMap(foreignPodVerdict),
  ];
}

function factsOf(group: GangGroup, cluster: Cluster): Group {
  const relay = { id: "simulation", epoch: 1 };
  return snapshotOf(group, { relay, cluster }).group;
}

/** What is said of a group that other schedulers place; nothing where it lacks no member. */
function foreignVerdict(facts: Group, settings: Settings): Verdict[] {
  const [why] = facts.gangs.flatMap((gang) => mismatch(gang, missing(gang, settings)) ?? []);
  if (!why) return [];
  const { reason, message } = why;
  const gangs = facts.gangs.map(({ gang }) => gangId(gang));
  const found = { title: title(facts), gangs, notModelled: [] };
  return [{ ...found, ...none, reason, message, isForeign: true }];
}

/** What is said of a pod without a gang that waits for another scheduler. */
function foreignPodVerdict(record: PodRecord): Verdict[] {
  const { gang, foreign } = record;
  if (gang !== undefined || !foreign || memberClassOf(record) !== "foreign") return [];
  const title = `pod ${nameOf(record)}`;
  const message = `${title} of scheduler ${quoted(foreign.scheduler)} is not Muster's to place, ` +
    `so create it anew with spec.schedulerName "${foreign.served.join('" or "')}"`;
  const found = { title, gangs: [], notModelled: [] };
  return [{ ...found, ...none, reason: "SchedulerMismatch", message, isForeign: true }];
}

const none = { starts: false, nodes: {}, evicts: [] };

interface Found {
  readonly verdict: Verdict;
  readonly placed: readonly PlannedPlace[];
  readonly victims: readonly PodRecord[];
}

function clusterOf(
  objects: Objects,
  options: ClusterOptions,
): { cluster: Cluster; groups: GroupTable } {
  const cluster = new Cluster({
    podChanged: () => {},
    podGroupChanged: () => {},
    roomChanged: () => {},
  }, options);
  for (const deviceClass of objects.deviceClasses) cluster.room.deviceClassChanged(deviceClass);
  for (const job of objects.jobs) cluster.deadlines.changed(job);
  for (const node of objects.nodes) cluster.room.nodeChanged(node);
  for (const { kind, podGroup } of objects.podGroups) cluster.podGroupChanged(kind, podGroup);
  for (const composite of objects.composites) cluster.compositeChanged(composite);
  for (const pod of objects.pods) cluster.podChanged(pod);
  return { cluster, groups: new GroupTable(cluster, () => {}) };
}

function waitingUnits(cluster: Cluster, groups: GroupTable): Unit[] {
  for (const gang of cluster.gangs.keys()) groups.find(gang);
  const pods = [...cluster.pods.values()].filter((record) =>
    record.gang === undefined && !record.foreign && isWaiting(record)
  );
  return [
    ...[...groups].filter((group) => membersOf(group).some(isWaiting))
      .map((group) => ({ id: group.gangs[0]!.id, group })),
    ...pods.map((record) => ({ id: nameOf(record), record })),
  ];
}

function* inOrder(
  units: readonly Unit[],
  { settings, ...asked }: Asked & { settings: Settings },
): Deciding<Unit[]> {
  const queued = units.flatMap(({ id, group, record }): QueueUnit[] => {
    if (record) {
      const { priority = 0 } = record.pod.spec;
      return [{ id, priority, queuedAt: record.pod.metadata.creationTimestamp ?? "" }];
    }
    return group!.gangs.map((gang) => {
      const { spec } = gang.read();
      const { priority = 0, createdAt } = spec;
      return { id: gang.id, gang: spec, priority, queuedAt: createdAt };
    });
  });
  const sorted = asked.stages.includes("queue-sort")
    ? yield* ownKeys(queued, asked)
    : queueKeys(queued, { failedAt: new Map(), settings });
  const keys = new Map(sorted.map(({ id, key }) => [id, key]));
  return units.toSorted((a, b) => keys.get(a.id)! < keys.get(b.id)! ? -1 : 1);
}

function* tryGroup(
  group: GangGroup,
  { cluster, served, refused, options, asked }: {
    cluster: Cluster;
    served: ReadonlySet<string>;
    refused: readonly GangGroup[];
    options: SimulationOptions;
    asked: Asked;
  },
): Deciding<Found> {
  const { settings, now, backfill } = options;
  const facts = factsOf(group, cluster);
  const world = { cluster, backfill, settings, evicts: true, isSimulated: true, now };
  const planNow = () => plan(worldOf([...refused, group], world), now).byGroup.get(group.id)!;
  const planned = planNow();
  const { fit: fitNow, ahead, clearance } = planned;
  const estimate = followPromise(undefined, { plan: planned, now }).promised?.said;
  const fit = clearance ? { members: fitNow.of, of: fitNow.of } : fitNow;
  const event = { stage: "prefilter", group: facts, fit, ahead, estimate, settings } as const;
  const admission = step(emptyState, event, now).outcome;
  const policy = yield* ownWord(facts, { admission, asked });
  const outcome = policy ? step(emptyState, { ...event, policy }, now).outcome : admission;
  const runTime = longestRunTime(group.gangs);
  const found = {
    title: title(facts),
    ...(runTime && { runTime }),
    gangs: group.gangs.map(({ id }) => id),
    ...(isLeftToAdmission(group, options) && { namesNoScheduler: true as const }),
    notModelled: [...new Set(membersOf(group).flatMap(({ pod }) => unmodelled(pod, served)))],
  };
  if (outcome.verdict === "reject") {
    const { reason, message } = outcome;
    const times = estimate && { estimate };
    return { verdict: { ...found, ...none, ...times, reason, message }, placed: [], victims: [] };
  }
  const needs = outcome.needs ??
    { [group.gangs[0]!.id]: groupMissing(facts, settings) };
  const evicted = (clearance?.victims ?? []).flatMap((uid) => cluster.pods.get(uid) ?? []);
  for (const { pod } of evicted) cluster.podDeleted(pod);
  const cleared = planNow();
  const attempted = isSteered(group, { plan: cleared, evicted, cluster })
    ? { placed: plannedPlaces(group, cleared), victims: evicted }
    : attempt(group.gangs, { cluster, needs });
  if ("unplaced" in attempted) {
    const { pod, gang } = attempted.unplaced;
    const message =
      "no node has room for it once the others are on the nodes that the scheduler scores highest";
    const failed = [{ uid: pod.metadata.uid, name: pod.metadata.name, message }];
    const why = whyPending({ reason: "MemberUnschedulable", gang: gang!, failed });
    return { verdict: { ...found, ...none, ...why }, placed: [], victims: [] };
  }
  const { reason, message } = outcome;
  const domains = domainsOf(group, { placed: attempted.placed, cluster });
  const leftOut = cleared.leftOut?.map(({ part, fit }) => ({ part, ...(fit && { fit }) })) ?? [];
  const why = Object.values(whyLeftOut({ ...facts, leftOut }, settings) ?? {});
  const waits = [...new Set(why.map(({ message }) => message))];
  if (attempted.placed.length === 0 && why[0]) {
    return { verdict: { ...found, ...none, ...why[0] }, placed: [], victims: [] };
  }
  const verdict = {
    ...found,
    starts: true,
    reason,
    message,
    ...(waits.length > 0 && { leftOut: waits }),
    ...namesOf(attempted),
    ...(domains.length > 0 && { domains }),
  };
  return { verdict, ...attempted };
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

function tryPod(
  record: PodRecord,
  { cluster, served }: { cluster: Cluster; served: ReadonlySet<string> },
): Found {
  const notModelled = unmodelled(record.pod, served);
  const found = { title: `pod ${nameOf(record)}`, gangs: [], notModelled };
  const attempted = attempt([{ id: "", members: new Map([["", record]]) }], {
    cluster,
    needs: { "": 1 },
  });
  if (!("unplaced" in attempted)) {
    const message = `${found.title} may be scheduled`;
    const verdict = { ...found, starts: true, reason: "Scheduled", message, ...namesOf(attempted) };
    return { verdict, ...attempted };
  }
  const message = `${found.title} finds no node with room for it`;
  const verdict = { ...found, ...none, reason: "Unschedulable", message };
  return { verdict, placed: [], victims: [] };
}

function namesOf(
  { placed, victims }: { placed: readonly PlannedPlace[]; victims: readonly PodRecord[] },
): { nodes: Record<string, string>; evicts: string[] } {
  return {
    nodes: Object.fromEntries(placed.map(({ record, node }) => [nameOf(record), node])),
    evicts: victims.map(nameOf),
  };
}

function membersOf(group: GangGroup): PodRecord[] {
  return group.gangs.flatMap((gang) => [...gang.members.values()]);
}

function isWaiting(record: PodRecord): boolean {
  return ["pending", "gated"].includes(memberClassOf(record));
}

function nameOf({ pod }: PodRecord): string {
  return `${pod.metadata.namespace}/${pod.metadata.name}`;
}
