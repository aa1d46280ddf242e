/**
 * Asks for the order in which gang groups are planned.
 *
 * @module
 */
import type { GangGroup } from "../../shared/cluster/gang_group.ts";
import { type QueuedGroup, QueueKeys } from "../../shared/cluster/queue_keys.ts";
import { times } from "../../shared/core/attend/times.ts";
import { halvesOf } from "../../shared/core/queue/asking.ts";
import { CallFailed } from "../../shared/client/stage_call.ts";
import type { Parts } from "./parts.ts";

/** Keeps the keys as queue-sort gives them. */
export class Queue {
  readonly keys = new QueueKeys();
  readonly #parts: Pick<Parts, "circuit" | "metrics" | "policy">;
  #isAsking = false;

  constructor(parts: Pick<Parts, "circuit" | "metrics" | "policy">) {
    this.#parts = parts;
  }

  /** Asks for keys where something that decides the order has changed; when plans are due by that, in ms since the epoch. */
  async refresh(groups: readonly GangGroup[]): Promise<number> {
    if (this.#isAsking) return Infinity;
    const batch = this.keys.due(groups, Date.now());
    if (batch.length === 0) return groups.length < 2 ? Infinity : this.keys.until;
    this.#isAsking = true;
    try {
      await this.#ask(batch);
      return Date.now();
    } catch {
      return Date.now() + times.outage;
    } finally {
      this.#isAsking = false;
    }
  }

  async #ask(batch: readonly QueuedGroup[]): Promise<void> {
    const { circuit, metrics, policy } = this.#parts;
    try {
      const units = batch.flatMap(({ units }) => units);
      const sort = () => metrics.timed("queue-sort", () => policy.queueSort(units));
      const sorted = await circuit.call("queue-sort", sort);
      this.keys.sorted(batch, sorted, Date.now());
    } catch (error) {
      if (!(error instanceof CallFailed && error.isRefusal)) throw error;
      const [first] = batch as [QueuedGroup];
      if (batch.length === 1) {
        metrics.callRefused(first.group.title, error);
        this.keys.refused(first);
      }
      for (const half of halvesOf(batch)) await this.#ask(half);
    }
  }
}
