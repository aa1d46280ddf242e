/**
 * What runs, as far as it may be evicted, taken from a copy of the cluster.
 *
 * @module
 */
import { leavesOf, roleTree } from "../core/gang/roles.ts";
import { isWholeWithout } from "../core/plan/running.ts";
import type { Leaving, Running, RunningGang, RunningPod } from "../core/plan/running.ts";
import { spareable } from "../core/plan/exchange.ts";
import type { Evictions } from "../core/plan/world.ts";
import { classOf } from "../kubernetes/counting/census.ts";
import type { Cluster } from "./cluster.ts";
import type { Gang } from "./gang.ts";
import { type PodRecord, startedAt, staysForGood } from "./pod_record.ts";

/** Pods that should have ended so long ago, in ms, may never do. */
const overdueMs = 30_000;

/** Who may be evicted, and who leaves already; `now` is in ms since the epoch. */
export function evictionsIn(cluster: Cluster, now: number): Evictions {
  let leaving: Leaving[] | undefined;
  return {
    running: (priority) => runningBelow(priority, { cluster, now }),
    leaving: () => leaving ??= leavingIn(cluster, now),
  };
}

/** Pods of a lower priority, and what keeps them together. */
function runningBelow(
  priority: number,
  { cluster, now }: { cluster: Cluster; now: number },
): Running {
  const pods: RunningPod[] = [];
  const gangs = new Map<string, RunningGang>();
  for (const record of cluster.pods.values()) {
    // Of thousands that wait only this is read.
    if (record.node === undefined && record.call === undefined) continue;
    if ((record.pod.spec.priority ?? 0) >= priority) continue;
    const pod = runningPod(record, { cluster, now });
    if (!pod) continue;
    pods.push(pod);
    const gang = record.gang === undefined ? undefined : cluster.gangs.get(record.gang);
    if (gang && !gangs.has(gang.id)) gangs.set(gang.id, runningGang(gang));
  }
  return { pods, gangs, budgets: cluster.budgets.allowed() };
}

/** Pods that leave, and the room that comes with that. */
function leavingIn(cluster: Cluster, now: number): Leaving[] {
  const leaving: Leaving[] = [];
  for (const record of cluster.pods.values()) {
    const { node, requests, pod, evictedFor } = record;
    if (node === undefined || !isLeaving(record) || isOver(record, now)) continue;
    const { namespace, name } = pod.metadata;
    const whom = evictedFor && { for: evictedFor.group };
    leaving.push({ node, requests, name: `${namespace}/${name}`, ...whom });
  }
  return leaving;
}

/** Undefined: it can not be made to leave, or does so already. */
function runningPod(
  record: PodRecord,
  { cluster, now }: { cluster: Cluster; now: number },
): RunningPod | undefined {
  const { pod, requests, call, sparedUntil = 0 } = record;
  const { uid, namespace, name } = pod.metadata;
  const node = record.node ?? call?.pod.node;
  if (node === undefined || call?.isGranted || isOver(record, now)) return undefined;
  if (isLeaving(record) || staysForGood(pod) || now < sparedUntil) return undefined;
  const gang = record.gang === undefined ? undefined : cluster.gangs.get(record.gang);
  return {
    uid,
    name: `${namespace}/${name}`,
    node,
    requests,
    priority: pod.spec.priority ?? 0,
    startedAt: startedAt(pod),
    budgets: cluster.budgets.of(pod),
    ...(gang && { gang: gang.id, role: gang.roleOf(record) }),
    ...(record.node === undefined && { isHeld: true }),
  };
}

function runningGang(gang: Gang): RunningGang {
  const { spec, roleOf } = gang.read();
  const bound = boundIn(gang);
  return {
    disruption: spec.disruption ?? "gang",
    minMember: spec.minMember,
    bound: bound.length,
    succeeded: gang.counted().filter(({ pod }) => classOf(pod) === "succeeded").length,
    roles: leavesOf(roleTree(spec.roles ?? [])).map(({ name, min }) => ({
      name,
      min,
      bound: bound.filter(({ pod }) => roleOf?.(pod) === name).length,
    })),
  };
}

/** Members that are bound, and do not leave. */
function boundIn(gang: Gang): PodRecord[] {
  return gang.counted().filter((record) =>
    classOf(record.pod, record.node) === "bound" && !isLeaving(record)
  );
}

/** The members that leave, by uid, with others without which their gang is broken; undefined: it is whole, or they stay. */
export function restOf(gang: Gang | undefined): string[] | undefined {
  if (!gang || gang.members.size === 0) return undefined;
  const { disruption } = gang.read().spec;
  if (disruption === "member" || isWholeWithout(runningGang(gang), [])) return undefined;
  return boundIn(gang).map(({ pod }) => pod.metadata.uid);
}

/** Whether a role that has enough members would not any more without these. */
export function breaksRole(gang: Gang, leaving: readonly PodRecord[]): boolean {
  const { roleOf } = gang.read();
  return runningGang(gang).roles.some(({ name, min, bound }) =>
    bound >= min && bound - leaving.filter(({ pod }) => roleOf?.(pod) === name).length < min
  );
}

/** Whom the scheduler is to evict on a node in place of those that it proposes, by uid: of gangs those that they can spare. */
export function spareableOn(node: string, uids: readonly string[], cluster: Cluster): string[] {
  const records = uids.flatMap((uid) => cluster.pods.get(uid) ?? []);
  const ids = new Set(records.flatMap(({ gang }) => gang === undefined ? [] : [gang]));
  const gangs = [...ids].flatMap((id) => cluster.gangs.get(id) ?? []);
  const here = gangs.flatMap((gang) =>
    [...gang.members.values()].flatMap((record) =>
      record.node === node ? runningPod(record, { cluster, now: 0 }) ?? [] : []
    )
  );
  const proposed = here.filter(({ uid }) => uids.includes(uid));
  const running = new Map(gangs.map((gang) => [gang.id, runningGang(gang)]));
  const chosen = spareable(proposed, { here, gangs: running }).map(({ uid }) => uid);
  const others = uids.filter((uid) => !proposed.some((pod) => pod.uid === uid));
  return [...others, ...chosen];
}

function isLeaving({ pod, evictedFor }: PodRecord): boolean {
  return evictedFor !== undefined || pod.metadata.deletionTimestamp !== undefined;
}

/** Whether it has ended, or should have long ago: its node may be dead. */
function isOver({ pod, node }: PodRecord, now: number): boolean {
  const { deletionTimestamp } = pod.metadata;
  const memberClass = classOf(pod, node);
  return memberClass === "succeeded" || memberClass === "failed" ||
    (deletionTimestamp !== undefined && now > Date.parse(deletionTimestamp) + overdueMs);
}
