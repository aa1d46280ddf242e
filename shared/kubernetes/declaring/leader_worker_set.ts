/**
 * LeaderWorkerSet: every replica is a gang of its leader and its workers.
 *
 * @module
 */
import type { Pod } from "../types.ts";

/** Prefix of what LeaderWorkerSet writes on its pods. */
export const leaderWorkerSet = "leaderworkerset.sigs.k8s.io/";

/** The gang of one of its pods is called as the leader's pod: workers name it, and the leader knows of no other label in time. */
export function replicaOf({ metadata: { labels, annotations, name } }: Pod): string | undefined {
  if (labels?.[`${leaderWorkerSet}name`] === undefined) return undefined;
  return annotations?.[`${leaderWorkerSet}leader-name`] ?? name;
}

/** Why a replica can not become whole: nothing on its pods tells which startupPolicy it has. */
export function leaderAlone(members: readonly Pod[], minMember: number): string | undefined {
  const [leader, worker] = members;
  if (!leader || worker || leader.spec.nodeName !== undefined || minMember < 2) return undefined;
  const { name, labels } = leader.metadata;
  if (replicaOf(leader) !== name || labels?.[`${leaderWorkerSet}worker-index`] !== "0") {
    return undefined;
  }
  return `pod ${name} leads a group of ${minMember}, of which there is no worker: with startupPolicy ` +
    "LeaderReady workers come once it runs, and it waits for them, so use LeaderCreated";
}
