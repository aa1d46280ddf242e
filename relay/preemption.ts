/**
 * The `preempt` verb: a held pod must never become a victim that is deleted.
 *
 * A gang member without a node on the API server is held or on its way; the scheduler takes it for a running pod and would
 * delete it. Its place can be had for less: its gang is let go.
 *
 * @module
 */
import type {
  ExtenderPreemptionArgs,
  ExtenderPreemptionResult,
  MetaVictims,
} from "../shared/kubernetes/extender.ts";
import type { Cluster } from "./cluster.ts";
import type { Reconciler } from "./reconciler.ts";
import { refuse } from "./refusal.ts";

/** The nodes on which the scheduler may evict victims; where waiting gangs stand in the way, they are let go instead. */
export function preempt(
  args: ExtenderPreemptionArgs,
  world: { cluster: Cluster; reconciler: Reconciler },
): ExtenderPreemptionResult {
  if (refuse(args.Pod, world.reconciler)) return { NodeNameToMetaVictims: {} };

  const nodes = Object.entries(args.NodeNameToMetaVictims ?? {}).map(([node, victims]) => {
    const uids = (victims.Pods ?? []).map((pod) => pod.UID);
    return { node, victims, uids, waiting: uids.filter((uid) => isWaiting(world.cluster, uid)) };
  });
  const evictable = nodes.filter(({ waiting }) => waiting.length === 0);
  const free = nodes.filter(({ waiting, uids }) =>
    waiting.length > 0 && waiting.length === uids.length
  );
  const yielding = fewest(free) ?? (evictable.length === 0 ? fewest(nodes) : undefined);
  if (!yielding) return { NodeNameToMetaVictims: Object.fromEntries(evictable.map(entry)) };

  const { namespace, name } = args.Pod.metadata;
  world.reconciler.yield(yielding.waiting, `pod ${namespace}/${name} of higher priority`);
  return { NodeNameToMetaVictims: {} };
}

/** A pod that is not known may be a member whose creation has not been seen yet. */
function isWaiting(cluster: Cluster, uid: string): boolean {
  const record = cluster.pods.get(uid);
  return !record || (record.gang !== undefined && record.node === undefined);
}

function fewest<T extends { waiting: readonly string[] }>(nodes: readonly T[]): T | undefined {
  return nodes.toSorted((a, b) => a.waiting.length - b.waiting.length)[0];
}

function entry({ node, victims }: { node: string; victims: MetaVictims }): [string, MetaVictims] {
  return [node, victims];
}
