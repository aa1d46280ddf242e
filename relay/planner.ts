/**
 * Which gang groups find room now, one after another in queue order: a group that was let in keeps its room from those behind.
 *
 * @module
 */
import { type Candidate, lacking, place, type Room } from "../shared/core/fit.ts";
import type { Fit } from "../shared/core/facts.ts";
import { classOf } from "../shared/kubernetes/census.ts";
import { mayRunOn } from "../shared/kubernetes/node_match.ts";
import { add, amountsOf } from "../shared/kubernetes/requests.ts";
import type { Cluster, Gang, PodRecord } from "./cluster.ts";
import type { GangGroup } from "./gang_group.ts";
import type { Holds } from "./holds.ts";

/** A group that was let in keeps its room for so long without one of its members being held. */
const reservedMs = 10_000;

/** Computes the fit of every group, the first in the queue first. */
export function planFits(
  groups: readonly GangGroup[],
  world: { cluster: Cluster; holds: Holds; now: number },
): Map<GangGroup, Fit> {
  const { cluster, now } = world;
  const room = cluster.room();
  const plan = new Map<GangGroup, Fit>();
  const [admitted, others] = partition(groups, (group) => isReserved(group, now));
  for (const group of [...admitted, ...others]) {
    plan.set(group, fitOf(group, { ...world, room }));
  }
  return plan;
}

function isReserved(group: GangGroup, now: number): boolean {
  return group.admission?.verdict === "allow" && now < group.admittedAt + reservedMs;
}

/** The fit of one group, and its room taken where it fits whole. */
function fitOf(group: GangGroup, world: { cluster: Cluster; holds: Holds; room: Room }): Fit {
  const fits = group.gangs.map((gang) => {
    const { candidates, needed, placed } = demandOf(gang, world);
    const shortOf = needed > 0 ? lackingOf(gang, { placed, room: world.room }) : undefined;
    if (shortOf) return { members: 0, of: needed, shortOf };
    const fit = place(candidates, world.room, needed);
    return fit.members < fit.of
      ? withPreemption(fit, { gang, candidates, cluster: world.cluster })
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

/** The members without a node, and how many of them the gang still needs. */
function demandOf(gang: Gang, { cluster, holds }: { cluster: Cluster; holds: Holds }) {
  const waiting: PodRecord[] = [];
  const placed: PodRecord[] = [];
  for (const [uid, record] of gang.counted()) {
    const memberClass = classOf(record.pod, record.node);
    if (memberClass === "bound" || memberClass === "succeeded" || holds.get(uid)) {
      placed.push(record);
    } else if (memberClass === "pending") waiting.push(record);
  }
  const needed = Math.max(0, gang.read().spec.minMember - placed.length);
  return { candidates: waiting.map((record) => candidateOf(record, cluster)), needed, placed };
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

/** Members that would fit beyond those that do, if pods of a lower priority left. */
function withPreemption(
  fit: Fit,
  demand: { gang: Gang; candidates: Candidate[]; cluster: Cluster },
): Fit {
  const { gang, candidates, cluster } = demand;
  const room = cluster.roomByPreemption(gang.read().spec.priority ?? 0);
  const byPreemption = place(candidates, room, fit.of).members - fit.members;
  return byPreemption > 0 ? { ...fit, byPreemption } : fit;
}

function partition<T>(items: readonly T[], isFirst: (item: T) => boolean): [T[], T[]] {
  return [items.filter(isFirst), items.filter((item) => !isFirst(item))];
}
