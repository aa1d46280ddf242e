/**
 * Evicts pods through the Eviction API, which keeps PodDisruptionBudgets.
 *
 * @module
 */
import pLimit from "p-limit";
import { callOff, type EvictionOrder, evictionsOf, spare } from "../../shared/cluster/evictions.ts";
import type { PodRecord } from "../../shared/cluster/pod_record.ts";
import { eviction } from "../../shared/kubernetes/writes.ts";
import { isOutdated } from "../../shared/client/kube_api.ts";
import type { Parts } from "./parts.ts";

/** So many are evicted at a time. */
const atOnce = 8;

/** Evicts pods for gang groups. */
export class Evictor {
  readonly #parts: Pick<Parts, "cluster" | "metrics" | "say" | "write">;
  readonly #changed: (record: PodRecord) => void;
  readonly #limited = pLimit(atOnce);
  readonly #timers = new Set<ReturnType<typeof setTimeout>>();
  #isPaused = false;

  /** `changed` is told of pods that are not evicted, and again when they may be asked anew. */
  constructor(
    parts: Pick<Parts, "cluster" | "metrics" | "say" | "write">,
    changed: (record: PodRecord) => void,
  ) {
    this.#parts = parts;
    this.#changed = changed;
  }

  /** Evicts pods that have a node; those under budgets first, and the others only where these were let go. */
  evict(uids: readonly string[], whom: NonNullable<PodRecord["evictedFor"]>): void {
    const { cluster } = this.#parts;
    const evictions = evictionsOf(uids, { cluster, whom, now: Date.now() });
    for (const record of evictions.left) this.#spare(record);
    void this.#evictAll(evictions);
  }

  /** Evicts nobody while another relay acts, also of those that it was to. */
  pause(isPaused: boolean): void {
    this.#isPaused = isPaused;
  }

  /** Ends it. */
  stop(): void {
    this.pause(true);
    for (const timer of this.#timers) clearTimeout(timer);
  }

  async #evictAll(evictions: EvictionOrder): Promise<void> {
    for (const record of evictions.kept) {
      if (await this.#evictOne(record)) continue;
      return callOff(record, evictions).forEach((other) => this.#changed(other));
    }
    for (const record of evictions.free) void this.#limited(() => this.#evictOne(record));
  }

  /** Whether it leaves, or has left already. */
  async #evictOne(record: PodRecord): Promise<boolean> {
    const { metrics, say, write } = this.#parts;
    const { pod, evictedFor } = record;
    if (this.#isPaused) {
      this.#spare(record);
      return false;
    }
    try {
      await write(eviction(pod.metadata));
      const message = `evicted for ${evictedFor?.by}`;
      say(pod, { type: "Normal", reason: "Preempted", message, at: Date.now() });
      return true;
    } catch (error) {
      if (isOutdated(error)) return true;
      metrics.writeFailed(`the eviction of pod ${pod.metadata.name}`, error as Error);
      this.#spare(record);
      return false;
    }
  }

  #spare(record: PodRecord): void {
    const ms = spare(record, Date.now());
    this.#changed(record);
    const timer = setTimeout(() => this.#timers.delete(timer) && this.#changed(record), ms);
    this.#timers.add(timer);
  }
}
