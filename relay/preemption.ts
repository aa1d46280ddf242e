/**
 * The `preempt` verb: a held pod must never become a victim that is deleted.
 *
 * A gang member without a node on the API server is held or on its way; the scheduler takes it for a running pod and would
 * delete it. Its place can be had for less: its gang is let go. Of the running pods it evicts those that break no gang, where
 * there is a choice.
 *
 * @module
 */
import { gangId } from "../shared/core/facts.ts";
import { type Eviction, type GangLoss, leastHarmful } from "../shared/core/victims.ts";
import { classOf } from "../shared/kubernetes/census.ts";
import { membershipOf } from "../shared/kubernetes/dialect.ts";
import type {
  ExtenderPreemptionArgs,
  ExtenderPreemptionResult,
  MetaVictims,
} from "../shared/kubernetes/extender.ts";
import type { Pod } from "../shared/kubernetes/types.ts";
import type { Cluster } from "./cluster.ts";
import type { Gang } from "./gang.ts";
import type { PodRecord } from "./pod_record.ts";
import type { Reconciler } from "./reconciler.ts";
import { refuse } from "./refusal.ts";

/** Victims that the scheduler was left with are gone, or terminating, within this time, in ms. */
const leavesWithinMs = 5000;

/** The nodes on which the scheduler may evict victims; where waiting gangs stand in the way, they are let go instead. */
export function preempt(
  args: ExtenderPreemptionArgs,
  world: { cluster: Cluster; reconciler: Reconciler },
): ExtenderPreemptionResult {
  if (refuse(args.Pod, world.reconciler) && !paused(args.Pod, world.reconciler)) {
    return { NodeNameToMetaVictims: {} };
  }

  const nodes = Object.entries(args.NodeNameToMetaVictims ?? {}).map(([node, victims]) => {
    const uids = (victims.Pods ?? []).map((pod) => pod.UID);
    return { node, victims, uids, waiting: uids.filter((uid) => isWaiting(world.cluster, uid)) };
  });
  const evictable = nodes.filter(({ waiting }) => waiting.length === 0);
  const free = nodes.filter(({ waiting, uids }) =>
    waiting.length > 0 && waiting.length === uids.length
  );
  const yielding = fewest(free) ?? (evictable.length === 0 ? fewest(nodes) : undefined);
  if (!yielding) return { NodeNameToMetaVictims: evict(evictable, world.cluster) };

  const { namespace, name } = args.Pod.metadata;
  world.reconciler.yield(yielding.waiting, `pod ${namespace}/${name} of higher priority`);
  return { NodeNameToMetaVictims: {} };
}

/** Nothing wakes a member whose preemption was refused when its gang's pause is over: it evicts already now. */
function paused(pod: Pod, reconciler: Reconciler): boolean {
  const membership = membershipOf(pod);
  return membership !== undefined && reconciler.groupOf(gangId(membership))?.onlyPauses === true;
}

/** The victims of a node, and their uids. */
interface VictimNode {
  readonly node: string;
  readonly victims: MetaVictims;
  readonly uids: readonly string[];
}

/** The nodes where eviction does the least harm; members who leave are remembered, because the next call may come before the watch shows it. */
function evict(nodes: readonly VictimNode[], cluster: Cluster): Record<string, MetaVictims> {
  const names = leastHarmful(nodes.map((node) => evictionOf(node, cluster)));
  const left = nodes.filter(({ node }) => names.includes(node));
  if (left.length === 1) {
    for (const uid of left[0]!.uids) {
      const record = cluster.pods.get(uid);
      if (record) record.leavesUntil = Date.now() + leavesWithinMs;
    }
  }
  return Object.fromEntries(left.map(({ node, victims }) => [node, victims]));
}

function evictionOf({ node, victims, uids }: VictimNode, cluster: Cluster): Eviction {
  const records = uids.flatMap((uid) => cluster.pods.get(uid) ?? []);
  const byGang = Map.groupBy(records, ({ gang }) => gang);
  return {
    node,
    pdbViolations: victims.NumPDBViolations ?? 0,
    priorities: records.map(({ pod }) => pod.spec.priority ?? 0),
    gangs: [...byGang].flatMap(([id, members]) => {
      const gang = id === undefined ? undefined : cluster.gangs.get(id);
      return gang ? [lossOf(gang, members)] : [];
    }),
  };
}

function lossOf(gang: Gang, victims: readonly PodRecord[]): GangLoss {
  const counted = gang.counted().map(([, record]) => record);
  const bound = counted.filter(isBound);
  return {
    minMember: gang.read().spec.minMember,
    bound: bound.length,
    succeeded: counted.filter(({ pod }) => classOf(pod) === "succeeded").length,
    victims: victims.filter((victim) => bound.includes(victim)).length,
  };
}

function isBound({ pod, node, leavesUntil }: PodRecord): boolean {
  return classOf(pod, node) === "bound" && leavesUntil <= Date.now();
}

/** A pod that is not known may be a member whose creation has not been seen yet. */
function isWaiting(cluster: Cluster, uid: string): boolean {
  const record = cluster.pods.get(uid);
  return !record || (record.gang !== undefined && record.node === undefined);
}

function fewest<T extends { waiting: readonly string[] }>(nodes: readonly T[]): T | undefined {
  return nodes.toSorted((a, b) => a.waiting.length - b.waiting.length)[0];
}
