/**
 * What a gang still needs room for.
 *
 * @module
 */
import {
  type Candidate,
  kindsOf,
  type Lack,
  lacking,
  type Resources,
  type Room,
} from "../shared/core/fit.ts";
import { memberClassOf } from "../shared/kubernetes/census.ts";
import { add, amountsOf } from "../shared/kubernetes/requests.ts";
import type { Cluster } from "./cluster.ts";
import type { Gang } from "./gang.ts";
import type { Holds } from "./holds.ts";
import type { PodRecord } from "./pod_record.ts";

/** The members without a node, those that have one or are held, and how many the gang still needs: as policy counts them. */
export interface Demand {
  readonly gang: Gang;
  readonly candidates: Candidate[];
  readonly placed: PodRecord[];
  readonly needed: number;
  /** Of what priority no pods are evicted for the gang any more: every member must be one that evicts others. */
  readonly evictsBelow: number;
}

/** The demand of a gang as it is now. */
export function demandOf(gang: Gang, world: { cluster: Cluster; holds: Holds }): Demand {
  const { minMember, matchPolicy, priority = 0 } = gang.read().spec;
  const waiting: PodRecord[] = [];
  const placed: PodRecord[] = [];
  let held = 0;
  let succeeded = 0;
  let mayPreempt = true;
  for (const [uid, record] of gang.counted()) {
    if (record.pod.spec.preemptionPolicy === "Never") mayPreempt = false;
    const memberClass = memberClassOf(record);
    if (memberClass === "succeeded") succeeded++;
    else if (memberClass === "bound") placed.push(record);
    else if (world.holds.get(uid)) {
      placed.push(record);
      held++;
    } else if (memberClass === "pending") waiting.push(record);
  }
  const couldCome = placed.length + waiting.length;
  const counted = (matchPolicy === "only-waiting" ? held : placed.length) +
    (couldCome < minMember ? succeeded : 0);
  const candidates = waiting.map((record) => candidateOf(record, world.cluster));
  return {
    gang,
    candidates,
    placed,
    needed: Math.max(0, minMember - counted),
    evictsBelow: mayPreempt ? priority : -Infinity,
  };
}

function candidateOf(record: PodRecord, cluster: Cluster): Candidate {
  const { requests, kind } = record;
  return { requests, kind, mayRunOn: (node) => cluster.mayRunOn(record, node) };
}

/** The resource of which the gang's minResources are not there; what its own members take counts for it. */
export function shortOfMinResources(demand: Demand, room: Room): Lack | undefined {
  if (demand.needed === 0) return undefined;
  return lacking(amountsOf(demand.gang.read().spec.minResources), room, ownOf(demand));
}

/** What the gang's members that have a node, or are held, take. */
export function ownOf({ placed }: Demand): Resources {
  const own = new Map<string, number>();
  for (const { requests } of placed) add(own, requests);
  return own;
}

/** All that decides which room a demand finds: demands of one shape find the same. */
export function shapeOf({ gang, candidates, needed, evictsBelow }: Demand): string {
  const kinds = kindsOf(candidates).map((alike) => [alike[0]!.kind, alike.length]);
  const { minResources } = gang.read().spec;
  const own = minResources && [gang.id, minResources];
  return JSON.stringify([needed, kinds, String(evictsBelow), own]);
}
