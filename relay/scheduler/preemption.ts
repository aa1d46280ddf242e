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
import {
  type Candidate,
  type GangLoss,
  preemption,
  type Victim,
} from "../../shared/core/room/victims.ts";
import { classOf } from "../../shared/kubernetes/counting/census.ts";
import type {
  ExtenderPreemptionArgs,
  ExtenderPreemptionResult,
  MetaVictims,
} from "../../shared/kubernetes/extender.ts";
import type { Pod } from "../../shared/kubernetes/types.ts";
import type { Cluster } from "../cluster/cluster.ts";
import type { Gang } from "../cluster/gang.ts";
import { gangOf, type PodRecord } from "../cluster/pod_record.ts";
import type { Reconciler } from "../run/reconciler.ts";
import { preemptorText } from "./preemptor_text.ts";

/** Victims that the scheduler was left with show that they leave within this time, in ms. */
const leavesWithinMs = 5000;

/** The nodes on which the scheduler may evict victims; where waiting gangs stand in the way, they are let go instead. */
export function preempt(
  args: ExtenderPreemptionArgs,
  world: { cluster: Cluster; reconciler: Reconciler },
): ExtenderPreemptionResult {
  const { cluster, reconciler } = world;
  const gang = gangOf(args.Pod);
  if (gang !== undefined && isRefused(args.Pod, gang, reconciler)) {
    return { NodeNameToMetaVictims: {} };
  }

  const { uid: preemptor } = args.Pod.metadata;
  const evictableFor = preemptorText(args.Pod);
  const proposed = args.NodeNameToMetaVictims ?? {};
  const candidates = Object.entries(proposed).map(([node, victims]) =>
    candidateOf(node, victims, { cluster, preemptor })
  );
  const { evict, letGo } = preemption(candidates);
  reconciler.yield(letGo, { uid: preemptor, title: evictableFor });
  // The next call may come before the watch shows that they leave.
  const until = Date.now() + leavesWithinMs;
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
  return reconciler.refuse(pod, gang) !== undefined && !(group && onlyPauses(group.attended));
}

function candidateOf(
  node: string,
  { Pods, NumPDBViolations = 0 }: MetaVictims,
  { cluster, preemptor }: { cluster: Cluster; preemptor: string },
): Candidate {
  const uids = (Pods ?? []).map(({ UID }) => UID);
  const records = uids.flatMap((uid) => cluster.pods.get(uid) ?? []);
  const byGang = Map.groupBy(records, ({ gang }) => gang);
  return {
    node,
    pdbViolations: NumPDBViolations,
    victims: uids.map((uid) => ({ uid, ...victimOf(cluster.pods.get(uid), preemptor) })),
    gangs: [...byGang].flatMap(([id, members]) => {
      const gang = id === undefined ? undefined : cluster.gangs.get(id);
      return gang ? [lossOf(gang, members)] : [];
    }),
  };
}

/** A pod that is not known may be a member whose creation has not been seen yet. */
function victimOf(record: PodRecord | undefined, preemptor: string): Omit<Victim, "uid"> {
  const { metadata, spec, status } = record?.pod ?? {};
  const waits = !record || (record.gang !== undefined && record.node === undefined);
  // A preemptor that asks again has failed to evict it, where it does not show that it leaves.
  const leaves = record && isLeaving(record) && record.leaves?.preemptor !== preemptor;
  return {
    priority: spec?.priority ?? 0,
    startedAt: Date.parse(status?.startTime ?? metadata?.creationTimestamp ?? "") || 0,
    state: waits ? "waits" : leaves ? "leaves" : "runs",
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

function isBound(record: PodRecord): boolean {
  return classOf(record.pod, record.node) === "bound" && !isLeaving(record);
}

function isLeaving({ leaves }: PodRecord): boolean {
  return leaves !== undefined && Date.now() < leaves.until;
}
