/**
 * When gangs ran and are going to, for plans and for whoever looks.
 *
 * @module
 */
import { type GangFacts, gangId } from "../core/gang/facts.ts";
import type { GangTimes } from "../core/gang/gang_times.ts";
import { limits } from "../core/gang/limits.ts";
import type { RunTime } from "../core/gang/run_time.ts";
import { ownerOf } from "../kubernetes/declaring/job.ts";
import type { Cluster } from "./cluster.ts";
import type { Gang } from "./gang.ts";
import type { GangGroup } from "./gang_group.ts";

/** What is learnt of a gang is asked for again after this time, in ms: gangs like it have ended meanwhile. */
const askAgainMs = 600_000;

/** Where times are taken from. */
export interface TimesTaken {
  readonly cluster: Cluster;
  /** The group of a gang, by its `namespace/name`. */
  readonly groupOf: (gang: string) => GangGroup | undefined;
  /** In ms since the epoch. */
  readonly now: number;
}

/** Of each gang of a group. */
export function groupTimes(
  group: readonly Pick<GangFacts, "gang">[],
  taken: TimesTaken,
): Record<string, GangTimes> {
  const known = group.flatMap(({ gang }) => taken.cluster.gangs.get(gangId(gang)) ?? []);
  return Object.fromEntries(known.map((gang) => [gang.id, gangTimes(gang, taken)]));
}

/** The functions have told how long gangs like these ran, as far as any did. */
export function learn(
  group: readonly Pick<GangFacts, "gang">[],
  { cluster, runTimes, now }: {
    cluster: Cluster;
    runTimes: Readonly<Record<string, RunTime>>;
    now: number;
  },
): void {
  for (const id of group.map(({ gang }) => gangId(gang))) {
    const gang = cluster.gangs.get(id);
    // Of one that did not ask because it knew, nothing is said.
    if (gang) gang.learnt = { runTime: runTimes[id] ?? gang.learnt?.runTime, at: now };
  }
}

function gangTimes(gang: Gang, { groupOf, now }: TimesTaken): GangTimes {
  const { startedAt, endedAt } = gang.run();
  const { runTime } = gang;
  const mayRunFor = gang.read().runTime?.source !== "deadline";
  const asks = mayRunFor && now >= (gang.learnt?.at ?? -Infinity) + askAgainMs;
  const owner = ownerKindOf(gang);
  const estimate = startedAt === undefined ? groupOf(gang.id)?.attended.promise?.said : undefined;
  return {
    ...(runTime && { runTime }),
    ...(asks && { asks }),
    ...(owner !== undefined && { owner }),
    requests: requestsOf(gang),
    ...(startedAt !== undefined && { startedAt: new Date(startedAt).toISOString() }),
    ...(endedAt !== undefined && { endedAt: new Date(endedAt).toISOString() }),
    ...(estimate && { estimate }),
  };
}

/** The kind of what controls the first of its pods that anything does. */
function ownerKindOf({ members }: Gang): string | undefined {
  for (const { pod } of members.values()) {
    const owner = ownerOf(pod);
    if (owner) return owner.kind.slice(0, limits.value);
  }
  return undefined;
}

function requestsOf(gang: Gang): Record<string, number> {
  const sum: Record<string, number> = {};
  for (const { requests } of gang.counted()) {
    for (const [resource, amount] of requests) {
      if (resource !== "pods") sum[resource] = (sum[resource] ?? 0) + amount;
    }
  }
  return Object.fromEntries(Object.entries(sum).slice(0, limits.resources));
}
