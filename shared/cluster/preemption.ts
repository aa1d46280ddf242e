/**
 * What the scheduler may evict: a held pod must never become a victim that is deleted.
 *
 * A gang member without a node on the API server is held or on its way; the scheduler takes it for a running pod and would
 * delete it. Its place can be had for less: its gang is let go. Of the running pods it evicts those that break no gang, where
 * there is a choice.
 *
 * @module
 */
import type { Evicting, Preemptor } from "../core/attend/attended.ts";
import type { EventOf } from "../core/attend/event.ts";
import { mayEvict, reasonOfEvictions } from "../core/attend/surplus.ts";
import { times } from "../core/attend/times.ts";
import { fitting } from "../core/room/fit.ts";
import { preemption } from "../core/room/victims.ts";
import { preemptorText } from "../kubernetes/declaring/preemptor_text.ts";
import type { ExtenderPreemptionArgs, ExtenderPreemptionResult } from "../kubernetes/extender.ts";
import type { Pod } from "../kubernetes/types.ts";
import { mayRunBeside } from "./beside_siblings.ts";
import type { Cluster } from "./cluster.ts";
import { type Filtering, refusalNow } from "./filtering.ts";
import type { GangGroup } from "./gang_group.ts";
import { gangOf, type PodRecord } from "./pod_record.ts";
import { candidateOf, nodesLeftFor } from "./preemption_candidate.ts";
import { newRefusal } from "./refusals.ts";
import { RunningGangs } from "./running_gangs.ts";

/** What is known beside the call. */
export interface Preempting {
  readonly cluster: Cluster;
  readonly decisions: Filtering["decisions"];
  /** Of its gang; undefined: that has not been seen yet, or it is a regular pod. */
  readonly group: GangGroup | undefined;
  /** Pods are evicted for whole groups, so that a member preempts only what its gang does not find by that. */
  readonly evicts: boolean;
  /** In ms since the epoch. */
  readonly now: number;
}

/** The answer to the scheduler, and what follows from it. */
export interface PreemptAnswer {
  readonly result: ExtenderPreemptionResult;
  /** Members whose gangs are to be let go, by uid, and for whom. */
  readonly letGo: readonly string[];
  readonly to: Preemptor;
  /** What its own group hears: `filter` refuses it, or it is not to evict for itself. */
  readonly event?: EventOf<"refused"> | undefined;
}

const none: ExtenderPreemptionResult = { NodeNameToMetaVictims: {} };

/** On which nodes the scheduler may evict whom; that they are about to leave is noted. */
export function preemptionBy(args: ExtenderPreemptionArgs, preempting: Preempting): PreemptAnswer {
  const { cluster, now } = preempting;
  const { uid: preemptor } = args.Pod.metadata;
  const isSeen = cluster.pods.has(preemptor);
  const to = { uid: preemptor, title: preemptorText(args.Pod), isSeen };
  const gang = gangOf(args.Pod);
  const refused = gang === undefined
    ? undefined
    : refusalNow(args.Pod, { gang, nodes: [] }, preempting);
  if (refused) return { result: none, letGo: [], to, event: byPreempt(refused) };
  const left = nodesLeftFor(preemptor, { pods: cluster.pods, now });
  const proposed = args.NodeNameToMetaVictims ?? {};
  const { own, toGroup } = dividedFor(args, preempting);
  const runs = new RunningGangs(now);
  const candidates = own.map((node) =>
    candidateOf(node, proposed[node]!, { cluster, runs, preemptor, now, left })
  );
  const { evict, letGo } = preemption(candidates);
  for (const uid of evict.flatMap(({ uids }) => uids)) noteLeaving(cluster.pods.get(uid), to, now);
  const victims = evict.map(({ node, uids }) => [
    node,
    { ...proposed[node], Pods: uids.map((UID) => ({ UID })) },
  ]);
  const result = { NodeNameToMetaVictims: Object.fromEntries(victims) };
  const isLeft = own.length === 0 && toGroup.length > 0;
  if (!isLeft) return { result, letGo, to };
  const event = byPreempt(leftToGroup(args.Pod, { nodes: toGroup, preempting }));
  return { result, letGo, to, event };
}

/** The scheduler may evict it now. */
function noteLeaving(
  record: PodRecord | undefined,
  { uid: preemptor, title }: Preemptor,
  now: number,
): void {
  if (!record) return;
  const isAgain = record.leaves?.preemptor === preemptor;
  record.leaves = { preemptor, until: now + times.leaves, isAgain };
  record.evictableFor = title;
}

function byPreempt(event: EventOf<"refused">): EventOf<"refused"> {
  return { ...event, refusal: { ...event.refusal, isByPreempt: true } };
}

const nothing: PodRecord["requests"] = new Map();

/**
 * Of the nodes that the scheduler proposes those where a pod evicts for itself, and those where a member leaves that to its
 * group; where it may not run nobody leaves for it.
 */
function dividedFor(
  { Pod: pod, NodeNameToMetaVictims }: ExtenderPreemptionArgs,
  { cluster, group, evicts, now }: Preempting,
): { own: string[]; toGroup: Evicting[] } {
  const { pods, room } = cluster;
  const { uid } = pod.metadata;
  const record = pods.get(uid);
  const mayRunOn = group && record ? mayRunBeside(record, { group, cluster }) : () => true;
  const nodes = Object.keys(NodeNameToMetaVictims ?? {}).filter(mayRunOn);
  if (!evicts || gangOf(pod) === undefined) return { own: nodes, toGroup: [] };
  const requests = record?.requests ?? nothing;
  const own: string[] = [];
  const toGroup: Evicting[] = [];
  for (const node of nodes) {
    const fits = fitting(requests, room.free.get(node) ?? nothing);
    const on = { node, fits, changedAt: room.changedAt(node) };
    if (group && mayEvict(group.attended, { uid, on }, now)) own.push(node);
    else toGroup.push(on);
  }
  return { own, toGroup };
}

/** That evictions are its group's: a member is woken when it may evict for itself, and where `filter` has refused it also as ever. */
function leftToGroup(
  pod: Pod,
  { nodes, preempting: { cluster, group, now } }: {
    nodes: readonly Evicting[];
    preempting: Preempting;
  },
): EventOf<"refused"> {
  const { uid } = pod.metadata;
  const { gang = "", kind } = cluster.pods.get(uid) ?? {};
  const refusal = group?.attended.refused.get(uid) ??
    newRefusal(pod, { gang, kind, reason: reasonOfEvictions, message: "" }, now);
  const roomy = nodes.filter(({ fits }) => fits > 0);
  return { is: "refused", uid, refusal: { ...refusal, leftToGroup: roomy } };
}
