/**
 * A node on which the scheduler would evict pods, and what their gangs lose by that.
 *
 * @module
 */
import type { GangLoss, PreemptionCandidate, Victim } from "../core/room/victims.ts";
import { times } from "../core/attend/times.ts";
import type { MetaVictims } from "../kubernetes/extender.ts";
import type { Cluster } from "./cluster.ts";
import type { Gang } from "./gang.ts";
import { isLeaving, isOnItsWay, type PodRecord, startedAt } from "./pod_record.ts";
import { breaksRole, fallingBeside, type RunningIn, spareableOn } from "./losses.ts";
import type { RunningGangs } from "./running_gangs.ts";

/** Who asks, and when, in ms since the epoch. */
interface Asking {
  /** By uid. */
  readonly preemptor: string;
  readonly now: number;
  /** By {@linkcode nodesLeftFor}. */
  readonly left: ReadonlySet<string>;
}

/** Nodes with pods that were to leave for the preemptor, and have just begun to. */
export function nodesLeftFor(
  preemptor: string,
  { pods, now }: { pods: Cluster["pods"]; now: number },
): Set<string> {
  const leaving = [...pods.values()].filter((record) =>
    record.leaves?.preemptor === preemptor && isOnItsWay(record, now) && isLeaving(record)
  );
  return new Set(leaving.flatMap(({ node }) => node ?? []));
}

/**
 * In so many ms a pod shows that it leaves for its preemptor, to which it has just been left for the first time; 0: it does,
 * or is not waited for. A preemptor asks again as soon as the first of several victims has gone: if it were told another anew
 * that goes meanwhile, it would sleep (kubernetes #141694). The scheduler does nothing else while it waits: not twice for one
 * whom it can not delete.
 */
export function showsWithin(
  record: PodRecord | undefined,
  { preemptor, now }: Omit<Asking, "left">,
): number {
  if (!record?.leaves || isLeaving(record)) return 0;
  const { leaves } = record;
  if (leaves.preemptor !== preemptor || leaves.isAgain) return 0;
  const ms = leaves.until - times.leaves + times.evicts - now;
  return Math.min(Math.max(ms, 0), times.evicts);
}

/** The node with those that are to leave it; of gangs those that they can spare. */
export function candidateOf(
  node: string,
  { Pods, NumPDBViolations = 0 }: MetaVictims,
  { cluster, runs, ...asking }: RunningIn & Asking,
): PreemptionCandidate {
  const proposed = (Pods ?? []).map(({ UID }) => UID);
  const uids = spareableOn(node, { uids: proposed, cluster, runs });
  const records = uids.flatMap((uid) => cluster.pods.get(uid) ?? []);
  const byGang = Map.groupBy(records, ({ gang }) => gang);
  return {
    node,
    pdbViolations: NumPDBViolations,
    isComing: asking.left.has(node),
    fallingBeside: fallingBeside(records, { cluster, runs }),
    victims: uids.map((uid) => ({ uid, ...victimOf(cluster.pods.get(uid), asking) })),
    gangs: [...byGang].flatMap(([id, members]) => {
      const gang = id === undefined ? undefined : cluster.gangs.get(id);
      return gang ? [lossOf(gang, members, runs)] : [];
    }),
  };
}

/** A pod that is not known may be a member whose creation has not been seen yet. */
function victimOf(
  record: PodRecord | undefined,
  { preemptor, now }: Asking,
): Omit<Victim, "uid"> {
  const waits = !record || (record.gang !== undefined && record.node === undefined);
  // A preemptor that asks again has failed to evict it, where it does not show that it leaves.
  const leaves = record && isOnItsWay(record, now) && record.leaves?.preemptor !== preemptor;
  return {
    priority: record?.pod.spec.priority ?? 0,
    startedAt: record ? startedAt(record.pod) : 0,
    state: waits ? "waits" : leaves ? "leaves" : "runs",
  };
}

function lossOf(gang: Gang, victims: readonly PodRecord[], runs: RunningGangs): GangLoss {
  const { bound, succeeded } = runs.stayingOf(gang);
  const leaving = victims.filter((victim) => bound.has(victim));
  return {
    minMember: gang.read().spec.minMember,
    isRoleBroken: breaksRole(gang, { leaving, runs }),
    bound: bound.size,
    succeeded,
    victims: leaving.length,
  };
}
