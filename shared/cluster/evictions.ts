/**
 * Which pods are evicted together, and in which order.
 *
 * @module
 */
import { times } from "../core/attend/times.ts";
import type { Cluster } from "./cluster.ts";
import { isOnItsWay, leaving, type PodRecord } from "./pod_record.ts";

/** Pods that are to leave. */
export interface EvictionOrder {
  /** Under budgets: one after another, and nobody else unless all of them leave. */
  readonly kept: readonly PodRecord[];
  /** Under none: all at once, after those. */
  readonly free: readonly PodRecord[];
  /** Those that the scheduler is about to evict for a preemptor, which it might not notice where another did so first. */
  readonly left: readonly PodRecord[];
}

/**
 * Of these pods those that have a node and may be asked to leave now, in ms since the epoch; that they are is noted. For a group
 * nobody leaves unless all do.
 */
export function evictionsOf(
  uids: readonly string[],
  { cluster: { pods, budgets }, whom, now }: {
    cluster: Pick<Cluster, "pods" | "budgets">;
    whom: NonNullable<PodRecord["evictedFor"]>;
    now: number;
  },
): EvictionOrder {
  const running = uids.flatMap((uid) => pods.get(uid) ?? []).filter((record) =>
    record.node !== undefined && !record.evictedFor && !record.pod.metadata.deletionTimestamp
  );
  const { spared = [], left = [], asked = [] } = Object.groupBy(running, (record) => {
    if (now < (record.sparedUntil ?? 0)) return "spared";
    return isOnItsWay(record, now) ? "left" : "asked";
  });
  const isInVain = whom.group !== undefined && spared.length + left.length > 0;
  const records = isInVain ? [] : asked;
  for (const record of records) record.evictedFor = whom;
  const isKept = ({ pod }: PodRecord) => budgets.of(pod).length > 0;
  const kept = records.filter(isKept);
  const free = records.filter((record) => !isKept(record));
  // Nothing keeps them, so they leave from now on.
  if (kept.length === 0) { for (const record of free) record.leaves = leaving(undefined, now); }
  return { kept, free, left };
}

/** Those of them that are not asked to leave where one is kept that had to leave before. */
export function callOff(kept: PodRecord, { kept: all, free }: EvictionOrder): PodRecord[] {
  const spared = [...all.slice(all.indexOf(kept) + 1), ...free];
  for (const record of spared) delete record.evictedFor;
  return spared;
}

/** A pod is not evicted, and not asked again for so long, in ms; `now` is in ms since the epoch. */
export function spare(record: PodRecord, now: number): number {
  delete record.evictedFor;
  record.sparedUntil = now + times.spared;
  return times.spared;
}
