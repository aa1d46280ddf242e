/**
 * Removes Muster's scheduling gate.
 *
 * @module
 */
import { ungating } from "../../shared/kubernetes/writes.ts";
import { times } from "../../shared/core/attend/times.ts";
import { nextToUngate } from "../../shared/core/attend/ungating.ts";
import type { GangGroup } from "../../shared/cluster/gang_group.ts";
import type { PodRecord } from "../../shared/cluster/pod_record.ts";
import { isOutdated } from "../../shared/client/kube_api.ts";
import { persistently } from "../../shared/client/patiently.ts";
import { Alarm } from "../../shared/client/alarm.ts";
import { within } from "../../shared/client/pause.ts";
import type { Parts } from "./parts.ts";

/** Told that the gates of a group are being removed, and that they were. */
export type Ungating = (group: GangGroup, is: "ungating" | "ungated") => void;

/** Removes gates. */
export class Gates {
  readonly #parts: Parts;
  readonly #ungating: Ungating;
  #order: readonly GangGroup[] = [];
  #isBusy = false;
  #isStopped = false;
  readonly #again = new Alarm(() => this.release());
  #soon: ReturnType<typeof setTimeout> | undefined;

  constructor(parts: Parts, ungating: Ungating) {
    this.#parts = parts;
    this.#ungating = ungating;
  }

  /** The groups that wait for nodes, the first in the queue first; and pods without a gang, for which nothing is waited. */
  follow(order: readonly GangGroup[], alone: readonly PodRecord[] = []): void {
    this.#order = order;
    const failed = (error: Error) => this.#parts.metrics.writeFailed("a scheduling gate", error);
    for (const record of alone) persistently(() => this.#remove(record), failed).catch(failed);
    this.release();
  }

  /** Something about the groups changed: releases whom it can, once for all that changes in one turn of the event loop. */
  release(): void {
    if (this.#order.length === 0 || this.#isBusy || this.#isStopped) return;
    this.#soon ??= setTimeout(() => void this.#run());
  }

  /** Ends it. */
  stop(): void {
    this.#isStopped = true;
    this.#again.stop();
    clearTimeout(this.#soon);
  }

  async #run(): Promise<void> {
    this.#soon = undefined;
    this.#isBusy = true;
    for (let group = this.#next(); group; group = this.#next()) {
      const opened = this.#open(group).catch((error) => {
        this.#parts.metrics.writeFailed("a scheduling gate", error);
        this.release();
      });
      await within(times.ungates, opened);
    }
    this.#isBusy = false;
  }

  #next(): GangGroup | undefined {
    if (this.#isStopped) return undefined;
    const { next, until } = nextToUngate(this.#order, Date.now());
    this.#again.setBy(until);
    return next;
  }

  async #open(group: GangGroup): Promise<void> {
    this.#ungating(group, "ungating");
    await Promise.all(group.gated().map((record) => this.#remove(record)));
    this.#ungating(group, "ungated");
  }

  async #remove(record: PodRecord): Promise<void> {
    const { cluster, metrics, say, write } = this.#parts;
    // Before the watch shows it, so that it is not removed twice.
    cluster.podUngated(record);
    try {
      await write(ungating(record.pod.metadata));
      metrics.gatesRemoved.inc();
    } catch (error) {
      if (isOutdated(error)) return;
      // With its gang it is tried again in its turn.
      if (record.gang !== undefined) cluster.podStillGated(record);
      const message = `its scheduling gate can not be removed: ${(error as Error).message}`;
      say(record.pod, { type: "Warning", reason: "GateNotRemoved", message });
      throw error;
    }
  }
}
