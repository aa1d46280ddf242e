/**
 * The members of a gang one by one, for whoever looks; no decision reads them.
 *
 * @module
 */
import { type GangFacts, gangId, type GangPod } from "../core/gang/facts.ts";
import { limits } from "../core/gang/limits.ts";
import { shortened } from "../core/words/text.ts";
import { memberClassOf } from "../kubernetes/counting/census.ts";
import type { Cluster } from "./cluster.ts";
import { domainOf } from "./domain.ts";
import type { Gang } from "./gang.ts";
import type { GangGroup } from "./gang_group.ts";
import { plannedPlaces } from "./planned_places.ts";
import type { PodRecord } from "./pod_record.ts";

/** Where members are, and where they are to go. */
export interface Whereabouts {
  readonly cluster: Cluster;
  /** The group of a gang, by its `namespace/name`. */
  readonly groupOf: (gang: string) => GangGroup | undefined;
}

/** Of each gang of a group, the first by name; the census has the rest. */
export function groupPods(
  group: readonly Pick<GangFacts, "gang">[],
  { cluster, groupOf }: Whereabouts,
): Record<string, GangPod[]> {
  const most = Math.min(limits.shownPods, Math.floor(limits.shownPodsOfGroup / group.length));
  const known = group.flatMap(({ gang }) => cluster.gangs.get(gangId(gang)) ?? []);
  const planned = plannedNodes(known[0] && groupOf(known[0].id));
  return Object.fromEntries(
    known.map((gang) => [gang.id, gangPods(gang, { cluster, planned, most })]),
  );
}

interface Shown {
  readonly cluster: Cluster;
  /** Nodes by uid of the member. */
  readonly planned: ReadonlyMap<string, string>;
  readonly most: number;
}

function gangPods(gang: Gang, shown: Shown): GangPod[] {
  const nameOf = ({ pod }: PodRecord) => pod.metadata.name;
  return gang.counted().sort((a, b) => nameOf(a) < nameOf(b) ? -1 : 1).slice(0, shown.most)
    .map((record) => podIn(record, gang, shown));
}

/** Nodes by uid, of members whose place matters or for which others leave; all others may go anywhere. */
export function plannedNodes(group: GangGroup | undefined): ReadonlyMap<string, string> {
  const { plan, clearance } = group?.attended ?? {};
  const isFree = (plan?.steering ?? "free") === "free";
  const places = group && plan && !isFree ? plannedPlaces(group, plan) : [];
  return new Map([
    ...clearance?.members.map(({ uid, node }) => [uid, node] as const) ?? [],
    ...places.map(({ record, node }) => [record.pod.metadata.uid, node] as const),
  ]);
}

function podIn(record: PodRecord, gang: Gang, { cluster, planned }: Shown): GangPod {
  const { metadata: { name, uid }, status } = record.pod;
  const counted = memberClassOf(record);
  const isRunning = counted === "bound" && status?.phase === "Running";
  const goal = record.node === undefined ? record.call?.pod.node ?? planned.get(uid) : undefined;
  const node = record.node ?? goal;
  const domain = node === undefined ? undefined : domainOf(node, { record, gang, cluster });
  return {
    name,
    uid,
    ...(record.node !== undefined && { node: record.node }),
    ...(goal !== undefined && { planned: goal }),
    ...(domain !== undefined && { domain: shortened(domain, limits.sentence) }),
    state: isRunning ? "running" : record.call ? "held" : counted,
    requests: Object.fromEntries(
      [...record.requests].filter(([resource]) => resource !== "pods").slice(0, limits.resources),
    ),
  };
}
