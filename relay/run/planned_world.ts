/**
 * What plans are made of, taken from the relay's copy of the cluster and the open bind calls.
 *
 * @module
 */
import type { PlannedGang } from "../../shared/core/plan/demand.ts";
import type { Waiting, World } from "../../shared/core/plan/world.ts";
import type { QuorumSettings } from "../../shared/core/gang/quorum.ts";
import { memberClassOf } from "../../shared/kubernetes/counting/census.ts";
import { amountsOf } from "../../shared/kubernetes/counting/requests.ts";
import type { Cluster } from "../cluster/cluster.ts";
import type { Gang } from "../cluster/gang.ts";
import type { GangGroup } from "./gang_group.ts";
import type { Holds } from "../scheduler/holds.ts";
import { gangFactsOf } from "./snapshot.ts";

/** For these reasons a group has no use for room. */
const neverWhole: readonly string[] = ["Parked", "SchedulerMismatch", "FactsRefused"];

/** Where plans take their facts from. */
export interface Planned {
  readonly cluster: Cluster;
  readonly holds: Holds;
  /** For so long smaller gangs may pass one that waits for room, in ms. */
  readonly backfillMs: number;
  readonly settings: QuorumSettings;
}

/** The cluster, and these groups in queue order. */
export function worldOf(groups: readonly GangGroup[], planned: Planned): World {
  const { cluster, backfillMs, settings } = planned;
  return {
    free: cluster.free,
    capacity: () => cluster.capacity(),
    nominated: cluster.nominated(),
    takenBelow: (priority) => cluster.takenBelow(priority),
    waiting: groups.map((group) => waitingOf(group, planned)),
    backfillMs,
    settings,
  };
}

function waitingOf({ id, gangs, attended }: GangGroup, planned: Planned): Waiting {
  const { standing, plan, shortSince, reservedUntil } = attended;
  return {
    id,
    priority: Math.max(...gangs.map((gang) => gang.read().spec.priority ?? 0)),
    gangs: () => gangs.map((gang) => plannedGangOf(gang, planned)),
    isNeverWhole: standing.phase === "refused" && neverWhole.includes(standing.why.reason),
    plan,
    shortSince,
    reservedUntil,
  };
}

function plannedGangOf(gang: Gang, { cluster, holds }: Planned): PlannedGang {
  const { spec, problem } = gang.read();
  const candidates: PlannedGang["candidates"][number][] = [];
  const placed: PlannedGang["placed"][number][] = [];
  let mayPreempt = true;
  for (const [uid, record] of gang.counted()) {
    const { pod, requests, kind } = record;
    if (pod.spec.preemptionPolicy === "Never") mayPreempt = false;
    const memberClass = memberClassOf(record);
    const node = memberClass === "bound" ? record.node : holds.get(uid)?.pod.node;
    if (node !== undefined) placed.push({ node, requests });
    else if (memberClass === "pending") {
      candidates.push({ requests, kind, mayRunOn: (node) => cluster.mayRunOn(record, node) });
    }
  }
  return {
    facts: { ...gangFactsOf(gang, holds), ...(problem && { problem }) },
    candidates,
    placed,
    minResources: amountsOf(spec.minResources),
    evictsBelow: mayPreempt ? spec.priority ?? 0 : -Infinity,
  };
}
