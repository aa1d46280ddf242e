/**
 * Which gang groups find room now, one after another in queue order: a group that was let in keeps its room from those behind.
 *
 * @module
 */
import { type Candidate, lacking, place, type Room, take } from "../shared/core/fit.ts";
import type { Fit } from "../shared/core/facts.ts";
import { classOf } from "../shared/kubernetes/census.ts";
import { mayRunOn } from "../shared/kubernetes/node_match.ts";
import { add, amountsOf } from "../shared/kubernetes/requests.ts";
import type { Cluster, Gang, PodRecord } from "./cluster.ts";
import type { GangGroup } from "./gang_group.ts";
import type { Holds } from "./holds.ts";

/** Computes the fit of every group, the first in the queue first. */
export function planFits(
  groups: readonly GangGroup[],
  world: { cluster: Cluster; holds: Holds; now: number },
): Map<GangGroup, Fit> {
  const { cluster, now } = world;
  const room = cluster.room();
  const plan = new Map<GangGroup, Fit>();
  const [admitted, others] = partition(groups, (group) => now < group.reservedUntil);
  for (const group of [...admitted, ...others]) {
    plan.set(group, fitOf(group, { ...world, room }));
  }
  return plan;
}

/** The fit of one group, and its room taken where it fits whole and waits for nothing but room. */
function fitOf(group: GangGroup, world: { cluster: Cluster; holds: Holds; room: Room }): Fit {
  const demands = group.gangs.map((gang) => demandOf(gang, world));
  const needsOnlyRoom = canBecomeWhole(group, demands);
  // One gang takes its room only if it fits whole; of several all must.
  const takesRoom = needsOnlyRoom && group.gangs.length === 1;
  const trial = takesRoom ? world.room : copyOf(world.room);
  const fit = fitIn(demands, { ...world, room: trial });
  if (needsOnlyRoom && !takesRoom && fit.members === fit.of) {
    for (const [node, free] of trial) world.room.set(node, free);
  }
  return fit;
}

/** Whether all that a group needs is there, and nothing but room keeps it from being scheduled. */
function canBecomeWhole(group: GangGroup, demands: readonly Demand[]): boolean {
  const isComplete = group.id.split(",").length === group.gangs.length;
  return isComplete && group.admission?.reason !== "Parked" &&
    demands.every(({ gang, candidates, needed }) =>
      !gang.read().problem && candidates.length >= needed
    );
}

function copyOf(room: Room): Room {
  return new Map([...room].map(([node, free]) => [node, new Map(free)]));
}

function fitIn(demands: readonly Demand[], world: { cluster: Cluster; room: Room }): Fit {
  const fits = demands.map(({ gang, candidates, needed, placed }) => {
    const shortOf = needed > 0 ? lackingOf(gang, { placed, room: world.room }) : undefined;
    if (shortOf) return { members: 0, of: needed, shortOf };
    const fit = place(candidates, world.room, needed);
    return fit.members < fit.of && mayPreempt(gang)
      ? withPreemption(fit, { gang, candidates, ...world })
      : fit;
  });
  const shortOf = fits.find((fit) => fit.shortOf)?.shortOf;
  const byPreemption = fits.reduce((sum, fit) => sum + (fit.byPreemption ?? 0), 0);
  return {
    members: fits.reduce((sum, fit) => sum + fit.members, 0),
    of: fits.reduce((sum, fit) => sum + fit.of, 0),
    ...(byPreemption > 0 && { byPreemption }),
    ...(shortOf && { shortOf }),
  };
}

interface Demand {
  readonly gang: Gang;
  readonly candidates: Candidate[];
  readonly needed: number;
  readonly placed: PodRecord[];
}

/** The members without a node, those that have one or are held, and how many the gang still needs: as policy counts them. */
function demandOf(gang: Gang, { cluster, holds }: { cluster: Cluster; holds: Holds }): Demand {
  const { minMember, matchPolicy } = gang.read().spec;
  const waiting: PodRecord[] = [];
  const placed: PodRecord[] = [];
  let held = 0;
  let succeeded = 0;
  for (const [uid, record] of gang.counted()) {
    const memberClass = classOf(record.pod, record.node);
    if (memberClass === "succeeded") succeeded++;
    else if (memberClass === "bound") placed.push(record);
    else if (holds.get(uid)) {
      placed.push(record);
      held++;
    } else if (memberClass === "pending") waiting.push(record);
  }
  const couldCome = placed.length + waiting.length;
  const counted = (matchPolicy === "only-waiting" ? held : placed.length) +
    (couldCome < minMember ? succeeded : 0);
  const needed = Math.max(0, minMember - counted);
  const candidates = waiting.map((record) => candidateOf(record, cluster));
  return { gang, candidates, needed, placed };
}

/** The resource of which the gang's minResources are not there; what its own members take counts for it. */
function lackingOf(
  gang: Gang,
  { placed, room }: { placed: PodRecord[]; room: Room },
): string | undefined {
  const own = new Map<string, number>();
  for (const { requests } of placed) add(own, requests);
  return lacking(amountsOf(gang.read().spec.minResources), room, own);
}

function candidateOf(record: PodRecord, cluster: Cluster): Candidate {
  return {
    requests: record.requests,
    kind: record.kind,
    mayRunOn: (node) => {
      const known = cluster.nodes.get(node);
      return known !== undefined && mayRunOn(record.pod, known);
    },
  };
}

/** Whether every member may evict others: a gang does so whole or not at all. */
function mayPreempt(gang: Gang): boolean {
  return gang.counted().every(([, { pod }]) => pod.spec.preemptionPolicy !== "Never");
}

/** Members that would fit beyond those that do, if pods of a lower priority left. */
function withPreemption(
  fit: Fit,
  demand: { gang: Gang; candidates: Candidate[]; cluster: Cluster; room: Room },
): Fit {
  const { gang, candidates, cluster } = demand;
  const lower = [...cluster.takenBelow(gang.read().spec.priority ?? 0)];
  if (lower.length === 0) return fit;
  const room = copyOf(demand.room);
  for (const { node, requests } of lower) {
    take(room, node, { requests, sign: -1 });
  }
  const byPreemption = place(candidates, room, fit.of).members - fit.members;
  return byPreemption > 0 ? { ...fit, byPreemption } : fit;
}

function partition<T>(items: readonly T[], isFirst: (item: T) => boolean): [T[], T[]] {
  return [items.filter(isFirst), items.filter((item) => !isFirst(item))];
}
