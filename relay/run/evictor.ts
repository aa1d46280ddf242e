/**
 * Evicts pods through the Eviction API, which keeps PodDisruptionBudgets.
 *
 * @module
 */
import type { Cluster } from "../../shared/cluster/cluster.ts";
import type { PodRecord } from "../../shared/cluster/pod_record.ts";
import type { Pod } from "../../shared/kubernetes/types.ts";
import { isOutdated } from "../kube/kube_api.ts";
import type { Metrics } from "../report/metrics.ts";
import type { World } from "./world.ts";

/** A pod whose budget does not let it go is asked again after this time, in ms. */
const sparedMs = 5000;
/** So many are evicted at a time. */
const atOnce = 8;

/** What evictions need. */
export interface EvictorWorld {
  readonly cluster: Cluster;
  readonly metrics: Metrics;
  readonly evict: (pod: Pod["metadata"]) => Promise<void>;
  readonly say: World["say"];
}

/** Evicts pods for gang groups. */
export class Evictor {
  readonly #world: EvictorWorld;
  readonly #changed: (record: PodRecord) => void;
  readonly #timers = new Set<ReturnType<typeof setTimeout>>();

  /** `changed` is told of pods that could not be evicted, and again when they may be asked anew. */
  constructor(world: EvictorWorld, changed: (record: PodRecord) => void) {
    this.#world = world;
    this.#changed = changed;
  }

  /** Evicts pods that have a node; those under budgets first, and the others only where these were let go. */
  evict(uids: readonly string[], whom: NonNullable<PodRecord["evictedFor"]>): void {
    const { cluster } = this.#world;
    const now = Date.now();
    const records = uids.flatMap((uid) => cluster.pods.get(uid) ?? []).filter((record) =>
      record.node !== undefined && !record.evictedFor && now >= (record.sparedUntil ?? 0) &&
      !record.pod.metadata.deletionTimestamp
    );
    for (const record of records) record.evictedFor = whom;
    if (records.length > 0) void this.#evictAll(records);
  }

  /** Ends it. */
  stop(): void {
    for (const timer of this.#timers) clearTimeout(timer);
  }

  async #evictAll(records: readonly PodRecord[]): Promise<void> {
    const { budgets } = this.#world.cluster;
    const isKept = ({ pod }: PodRecord) => budgets.of(pod).length > 0;
    for (const [index, record] of records.filter(isKept).entries()) {
      if (await this.#evictOne(record)) continue;
      const left = records.filter((other) => !isKept(other));
      for (const other of [...records.filter(isKept).slice(index + 1), ...left]) {
        delete other.evictedFor;
        this.#changed(other);
      }
      return;
    }
    const others = records.filter((record) => !isKept(record));
    const next = others.values();
    const work = async () => {
      for (const record of next) await this.#evictOne(record);
    };
    await Promise.all(Array.from({ length: atOnce }, work));
  }

  /** Whether it leaves, or has left already. */
  async #evictOne(record: PodRecord): Promise<boolean> {
    const { evict, metrics, say } = this.#world;
    const { pod, evictedFor } = record;
    try {
      await evict(pod.metadata);
      say(pod, {
        type: "Normal",
        reason: "Preempted",
        message: `evicted for ${evictedFor?.by}`,
        at: Date.now(),
      });
      return true;
    } catch (error) {
      if (isOutdated(error)) return true;
      metrics.writeFailed(`the eviction of pod ${pod.metadata.name}`, error as Error);
      this.#spare(record);
      return false;
    }
  }

  #spare(record: PodRecord): void {
    delete record.evictedFor;
    record.sparedUntil = Date.now() + sparedMs;
    this.#changed(record);
    const timer = setTimeout(() => {
      this.#timers.delete(timer);
      this.#changed(record);
    }, sparedMs);
    this.#timers.add(timer);
  }
}
