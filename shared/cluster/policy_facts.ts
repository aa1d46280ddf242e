/**
 * What policies of a cluster's own are told beside a gang's facts: what runs, what the cluster has, what a gang asks for.
 *
 * @module
 */
import { isLetIn } from "../core/attend/attended.ts";
import { mayClear } from "../core/attend/eviction.ts";
import type { Amounts, ResourceAmounts, Running } from "../core/gang/facts.ts";
import { limits } from "../core/gang/limits.ts";
import { memberClassOf } from "../kubernetes/counting/census.ts";
import { add } from "../kubernetes/counting/requests.ts";
import type { Cluster } from "./cluster.ts";
import type { Gang } from "./gang.ts";
import type { GangGroup } from "./gang_group.ts";
import { isActive, type PodRecord } from "./pod_record.ts";
import { resourceAmounts } from "./resource_amounts.ts";

/** Taken when they are asked for. */
export interface PolicyFacts {
  /** Gangs first, at most so many as are told one by one; then what is left, by namespace. */
  running(): Running[];
  /** Gangs that were let in, or for which pods leave, and that lack members with a node: what these ask for. */
  starting(): Running[];
  resources(): ResourceAmounts[];
  /** What the members without a node of a gang, by its `namespace/name`, ask for together. */
  asks(gang: string): Amounts;
}

/** Who is attended to; absent where nothing is held, and nobody on the way. */
export interface Attending {
  readonly holds?: Iterable<{ readonly record: PodRecord }>;
  readonly groupOf?: (gang: string) => Pick<GangGroup, "attended"> | undefined;
}

/** The facts of a cluster, some of whose pods are held. */
export function policyFacts(
  cluster: Cluster,
  { holds = [], groupOf = () => undefined }: Attending = {},
): PolicyFacts {
  return {
    running: () => runningIn(cluster),
    starting: () => startingIn(cluster, groupOf),
    resources: () => resourceAmounts(cluster.room, holds),
    asks: (gang) => totalOf(pendingOf(cluster.gangs.get(gang))),
  };
}

function pendingOf(gang: Gang | undefined): PodRecord[] {
  return gang?.counted().filter((record) => memberClassOf(record) === "pending") ?? [];
}

function startingIn(cluster: Cluster, groupOf: NonNullable<Attending["groupOf"]>): Running[] {
  const starting = [...cluster.gangs.values()].filter((gang) => {
    const attended = groupOf(gang.id)?.attended;
    const isOnTheWay = attended &&
      (isLetIn(attended) || (attended.clearance && mayClear(attended)));
    return isOnTheWay && gang.lacksMembers;
  });
  return starting.slice(0, limits.running).flatMap((gang) => {
    // Held ones have room already.
    const pending = pendingOf(gang).filter(({ call }) => !call);
    return pending.length > 0 ? [{ ...nameOf(gang), ...sumOf(pending) }] : [];
  });
}

function nameOf(gang: Gang): Pick<Running, "namespace" | "name" | "attributes"> {
  const { namespace, name, attributes } = gang.read().spec;
  return { namespace, name, ...(attributes && { attributes }) };
}

function runningIn(cluster: Cluster): Running[] {
  const placed = [...cluster.pods.values()].filter((record) =>
    (record.node !== undefined || record.call) && isActive(record.pod)
  );
  const byGang = Map.groupBy(placed, ({ gang }) => gang);
  const listed = [...byGang.keys()].filter((gang) => gang !== undefined).slice(0, limits.running);
  const isListed = new Set(listed);
  const rest = placed.filter(({ gang }) => gang === undefined || !isListed.has(gang));
  const namespaces = Map.groupBy(rest, ({ pod }) => pod.metadata.namespace ?? "");
  return [
    ...listed.map((gang) => ({ ...nameOf(cluster.gangs.get(gang)!), ...sumOf(byGang.get(gang)!) })),
    ...[...namespaces].slice(0, limits.members)
      .map(([namespace, records]) => ({ namespace, ...sumOf(records) })),
  ];
}

function sumOf(records: readonly PodRecord[]): Pick<Running, "pods" | "requests"> {
  return { pods: records.length, requests: totalOf(records) };
}

/** Pod slots are seldom what is short. */
function totalOf(records: readonly PodRecord[]): Amounts {
  const total = new Map<string, number>();
  for (const { requests } of records) add(total, requests);
  total.delete("pods");
  return Object.fromEntries([...total].slice(0, limits.resources));
}
