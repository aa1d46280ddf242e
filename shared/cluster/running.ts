/**
 * What runs, as far as it may be evicted, taken from a copy of the cluster.
 *
 * @module
 */
import { leavesOf, roleTree } from "../core/gang/roles.ts";
import type {
  Leaving,
  Running,
  RunningGang,
  RunningPod,
  RunningTree,
} from "../core/plan/running.ts";
import type { Evictions } from "../core/plan/world.ts";
import { classOf } from "../kubernetes/counting/census.ts";
import type { Cluster } from "./cluster.ts";
import { evictedForIn } from "./evicted_for.ts";
import type { Gang } from "./gang.ts";
import { isStatic, type PodRecord, startedAt } from "./pod_record.ts";

/** Pods that should have ended so long ago, in ms, may never do. */
const overdueMs = 30_000;

/** Who may be evicted, and who leaves already; `now` is in ms since the epoch. */
export function evictionsIn(cluster: Cluster, now: number): Evictions {
  let leaving: Leaving[] | undefined;
  const running = new Map<number, Running>();
  return {
    running: (priority) => {
      const known = running.get(priority) ?? runningBelow(priority, { cluster, now });
      running.set(priority, known);
      return known;
    },
    leaving: () => leaving ??= leavingIn(cluster, now),
  };
}

/** Pods of a lower priority, and what keeps them together. */
function runningBelow(
  priority: number,
  { cluster, now }: { cluster: Cluster; now: number },
): Running {
  const pods = podsBelow(priority, { cluster, now });
  const ids = new Set<string>();
  for (const { gang } of pods) if (gang !== undefined) ids.add(gang);
  const trees = treesOf(ids, cluster.gangs);
  const all = new Set([...ids, ...trees.flatMap(gangsIn)]);
  return {
    pods,
    gangs: new Map(
      [...all].flatMap((id) => {
        const gang = cluster.gangs.get(id);
        return gang ? [[id, runningGang(gang)] as const] : [];
      }),
    ),
    ...(trees.length > 0 && { trees }),
    budgets: cluster.budgets.allowed(),
  };
}

/** Those of a lower priority that may be evicted. Where there are thousands of pods none is looked at in vain, and few closely. */
function podsBelow(
  priority: number,
  { cluster, now }: { cluster: Cluster; now: number },
): RunningPod[] {
  const pods: RunningPod[] = [];
  if (!cluster.room.taken.hasBelow(priority)) return pods;
  for (const record of cluster.pods.values()) {
    const isWaiting = record.node === undefined && record.call === undefined;
    if (isWaiting || (record.pod.spec.priority ?? 0) >= priority) continue;
    const pod = runningPod(record, { cluster, now });
    if (pod) pods.push(pod);
  }
  return pods;
}

/** The trees that these gangs are in, each once, by whichever of its gangs. */
export function treesOf(ids: Iterable<string>, gangs: Cluster["gangs"]): RunningTree[] {
  const seen = new Set<string>();
  const trees: RunningTree[] = [];
  for (const id of ids) {
    const tree = seen.has(id) ? undefined : gangs.get(id)?.read().runsIn;
    if (!tree) continue;
    trees.push(tree);
    for (const one of gangsIn(tree)) seen.add(one);
  }
  return trees;
}

/** The gangs of a tree, by `namespace/name`. */
export function gangsIn({ parts }: RunningTree): string[] {
  return parts.flatMap((part) => typeof part === "string" ? [part] : gangsIn(part));
}

/** Pods that leave, and the room that comes with that. */
function leavingIn(cluster: Cluster, now: number): Leaving[] {
  const leaving: Leaving[] = [];
  const evictedFor = evictedForIn(cluster.gangs);
  for (const record of cluster.pods.values()) {
    const { node, requests, pod } = record;
    if (node === undefined || !leavesOrIsEvicted(record) || isOver(record, now)) continue;
    const { namespace, name } = pod.metadata;
    const whom = evictedFor(record);
    leaving.push({
      node,
      requests,
      name: `${namespace}/${name}`,
      ...(whom && { for: whom.group }),
    });
  }
  return leaving;
}

/** A pod as it may be evicted; undefined: it can not be made to leave, or does so already. */
export function runningPod(
  record: PodRecord,
  { cluster, now }: { cluster: Cluster; now: number },
): RunningPod | undefined {
  const { pod, requests, call, sparedUntil = 0 } = record;
  const { uid, namespace, name } = pod.metadata;
  const node = record.node ?? call?.pod.node;
  if (node === undefined || call?.isGranted || isOver(record, now)) return undefined;
  if (leavesOrIsEvicted(record) || isStatic(pod) || now < sparedUntil) return undefined;
  const gang = record.gang === undefined ? undefined : cluster.gangs.get(record.gang);
  return {
    uid,
    name: `${namespace}/${name}`,
    node,
    requests,
    priority: pod.spec.priority ?? 0,
    startedAt: startedAt(pod),
    budgets: cluster.budgets.keeping(pod),
    ...(gang && { gang: gang.id, role: gang.roleOf(record) }),
    ...(record.node === undefined && { isHeld: true }),
  };
}

/** A gang as its members may be evicted. */
export function runningGang(gang: Gang): RunningGang {
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
export function boundIn(gang: Gang): PodRecord[] {
  return gang.counted().filter((record) =>
    classOf(record.pod, record.node) === "bound" && !leavesOrIsEvicted(record)
  );
}

function leavesOrIsEvicted({ pod, evictedFor }: PodRecord): boolean {
  return evictedFor !== undefined || pod.metadata.deletionTimestamp !== undefined;
}

/** Whether it has ended, or should have long ago: its node may be dead. */
function isOver({ pod, node }: PodRecord, now: number): boolean {
  const { deletionTimestamp } = pod.metadata;
  const memberClass = classOf(pod, node);
  return memberClass === "succeeded" || memberClass === "failed" ||
    (deletionTimestamp !== undefined && now > Date.parse(deletionTimestamp) + overdueMs);
}
