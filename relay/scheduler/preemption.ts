/**
 * The `preempt` verb: a held pod must never become a victim that is deleted.
 *
 * A gang member without a node on the API server is held or on its way; the scheduler takes it for a running pod and would
 * delete it. Its place can be had for less: its gang is let go. Of the running pods it evicts those that break no gang, where
 * there is a choice.
 *
 * @module
 */
import { onlyPauses } from "../../shared/core/attend/admission.ts";
import { mayEvict } from "../../shared/core/attend/surplus.ts";
import { times } from "../../shared/core/attend/times.ts";
import { preemption } from "../../shared/core/room/victims.ts";
import type {
  ExtenderPreemptionArgs,
  ExtenderPreemptionResult,
  MetaVictims,
} from "../../shared/kubernetes/extender.ts";
import type { Pod } from "../../shared/kubernetes/types.ts";
import type { Cluster } from "../../shared/cluster/cluster.ts";
import { gangOf, type PodRecord } from "../../shared/cluster/pod_record.ts";
import { candidateOf, nodesLeftFor } from "../../shared/cluster/preemption_candidate.ts";
import type { Reconciler } from "../run/reconciler.ts";
import { preemptorText } from "../../shared/kubernetes/declaring/preemptor_text.ts";

/** The nodes on which the scheduler may evict victims; where waiting gangs stand in the way, they are let go instead. */
export function preempt(
  args: ExtenderPreemptionArgs,
  world: { cluster: Cluster; reconciler: Reconciler },
): ExtenderPreemptionResult {
  const { reconciler } = world;
  const gang = gangOf(args.Pod);
  if (gang !== undefined && isRefused(args.Pod, gang, reconciler)) {
    return { NodeNameToMetaVictims: {} };
  }

  if (gang !== undefined && reconciler.attendant.evicts) return preemptLast(args, world);
  return among(args.NodeNameToMetaVictims ?? {}, args.Pod, world);
}

/** What a member of a gang preempts by itself: the relay evicts for what its gang needs. */
function preemptLast(
  { Pod, NodeNameToMetaVictims }: ExtenderPreemptionArgs,
  world: { cluster: Cluster; reconciler: Reconciler },
): ExtenderPreemptionResult {
  const group = world.reconciler.groupOf(gangOf(Pod));
  const { free, pods } = world.cluster;
  const { uid } = Pod.metadata;
  const none: PodRecord["requests"] = new Map();
  const requests = pods.get(uid)?.requests ?? none;
  const now = Date.now();
  const left = Object.entries(NodeNameToMetaVictims ?? {}).filter(([node]) =>
    group && mayEvict(group.attended, { uid, node, requests, free: free.get(node) ?? none }, now)
  );
  return among(Object.fromEntries(left), Pod, world);
}

/** The nodes of these on which the scheduler may evict victims. */
function among(
  proposed: Readonly<Record<string, MetaVictims>>,
  pod: Pod,
  { cluster, reconciler }: { cluster: Cluster; reconciler: Reconciler },
): ExtenderPreemptionResult {
  const { uid: preemptor } = pod.metadata;
  const now = Date.now();
  const evictableFor = preemptorText(pod);
  const left = nodesLeftFor(preemptor, { pods: cluster.pods, now });
  const candidates = Object.entries(proposed).map(([node, victims]) =>
    candidateOf(node, victims, { cluster, preemptor, now, left })
  );
  const { evict, letGo } = preemption(candidates);
  reconciler.attendant.yield(letGo, { uid: preemptor, title: evictableFor });
  const until = now + times.leaves;
  for (const uid of evict.flatMap(({ uids }) => uids)) {
    const record = cluster.pods.get(uid);
    if (!record) continue;
    record.leaves = { preemptor, until };
    record.evictableFor = evictableFor;
  }
  return {
    NodeNameToMetaVictims: Object.fromEntries(
      evict.map(({ node, uids }) => [
        node,
        { ...proposed[node], Pods: uids.map((UID) => ({ UID })) },
      ]),
    ),
  };
}

/** Nothing wakes a member whose preemption was refused when its gang's pause is over: it evicts already now. */
function isRefused(pod: Pod, gang: string, reconciler: Reconciler): boolean {
  const group = reconciler.groupOf(gang);
  return reconciler.refuse(pod, { gang, nodes: [] }) !== undefined &&
    !(group && onlyPauses(group.attended));
}
