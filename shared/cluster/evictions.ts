/**
 * Which pods are evicted together, and in which order.
 *
 * @module
 */
import type { Cluster } from "./cluster.ts";
import type { PodRecord } from "./pod_record.ts";

/** Pods that are to leave. */
export interface Evictions {
  /** Under budgets: one after another, and nobody else unless all of them leave. */
  readonly kept: readonly PodRecord[];
  /** Under none: all at once, after those. */
  readonly free: readonly PodRecord[];
}

/** Of these pods those that have a node and may be asked to leave now, in ms since the epoch. */
export function evictionsOf(
  uids: readonly string[],
  { cluster: { pods, budgets }, now }: {
    cluster: Pick<Cluster, "pods" | "budgets">;
    now: number;
  },
): Evictions {
  const records = uids.flatMap((uid) => pods.get(uid) ?? []).filter((record) =>
    record.node !== undefined && !record.evictedFor && now >= (record.sparedUntil ?? 0) &&
    !record.pod.metadata.deletionTimestamp
  );
  const isKept = ({ pod }: PodRecord) => budgets.of(pod).length > 0;
  return {
    kept: records.filter(isKept),
    free: records.filter((record) => !isKept(record)),
  };
}
