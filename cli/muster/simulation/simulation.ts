/**
 * Which gangs would start, in which order, and where: the policy and the fit that a relay and its functions decide by, over
 * a copy of a cluster in which time does not pass.
 *
 * @module
 */
import { Cluster, type ClusterOptions } from "../../../shared/cluster/cluster.ts";
import type { GangGroup } from "../../../shared/cluster/gang_group.ts";
import { GroupTable } from "../../../shared/cluster/group_table.ts";
import type { PodRecord } from "../../../shared/cluster/pod_record.ts";
import type { StageName } from "../../../shared/core/attend/stage_health.ts";
import type { Settings } from "../../../shared/core/gang/settings.ts";
import { queueKeys, type QueueUnit } from "../../../shared/core/queue/order.ts";
import { memberClassOf } from "../../../shared/kubernetes/counting/census.ts";
import { servedBy } from "../../../shared/kubernetes/counting/device_class.ts";
import { decided, type Deciding, stagesOf } from "../../policy/deciding.ts";
import type { LoadedPolicy } from "../../policy/load_policy.ts";
import { attempt } from "./attempt.ts";
import type { Objects } from "./manifests.ts";
import { type Asked, ownKeys } from "./own_policy.ts";
import type { SimulationOptions } from "./simulation_options.ts";
import { factsOf, membersOf, tryGroup } from "./try_group.ts";
import { unmodelled } from "./unmodelled.ts";
import {
  foreignPodVerdict,
  foreignVerdict,
  type Found,
  nameOf,
  namesOf,
  type Verdict,
  waiting,
} from "./verdict.ts";

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
  return waiting(found, { reason: "Unschedulable", message });
}

function isWaiting(record: PodRecord): boolean {
  return ["pending", "gated"].includes(memberClassOf(record));
}
