/**
 * Muster's scheduling gate: removed from the members of gang groups that were let in, one whole group after another in
 * queue order, so that the scheduler tries them in that order.
 *
 * @module
 */
import type { Pod } from "../../shared/kubernetes/types.ts";
import { isGated, type PodRecord } from "../cluster/pod_record.ts";
import { isAboutToBeLetIn, isLetIn } from "../../shared/core/attend/attended.ts";
import type { GangGroup } from "./gang_group.ts";
import type { Metrics } from "../report/metrics.ts";

/** After a gate could not be removed it is tried again. */
const againMs = 1000;

/** What gates are removed with. */
export interface GatesWorld {
  readonly metrics: Metrics;
  /** Removes the gate of a pod; what may pass by itself it has tried again. */
  readonly ungate: (pod: Pod["metadata"]) => Promise<void>;
}

/** Told that the gates of a group are being removed: its members keep their room. */
export type Ungating = (group: GangGroup) => void;

/** The members of a group that wait behind Muster's gate. */
export function gatedOf(group: GangGroup): PodRecord[] {
  return group.gangs.flatMap((gang) => [...gang.gated.values()].filter(isGated));
}

/** Removes gates. */
export class Gates {
  readonly #world: GatesWorld;
  readonly #ungating: Ungating;
  #order: readonly GangGroup[] = [];
  #isBusy = false;
  #isStopped = false;
  #timer: ReturnType<typeof setTimeout> | undefined;

  constructor(world: GatesWorld, ungating: Ungating) {
    this.#world = world;
    this.#ungating = ungating;
  }

  /** The groups that wait for nodes, the first in the queue first. */
  follow(order: readonly GangGroup[]): void {
    this.#order = order.filter((group) => group.gangs.some((gang) => gang.gated.size > 0));
    this.release();
  }

  /** Something about the groups changed: releases whom it can. */
  release(): void {
    if (this.#order.length > 0 && !this.#isBusy && !this.#isStopped) void this.#run();
  }

  /** Ends it. */
  stop(): void {
    this.#isStopped = true;
    clearTimeout(this.#timer);
  }

  async #run(): Promise<void> {
    this.#isBusy = true;
    try {
      for (let group = this.#next(); group && !this.#isStopped; group = this.#next()) {
        await this.#open(group);
      }
    } catch (error) {
      this.#world.metrics.writeFailed("a scheduling gate", error as Error);
      clearTimeout(this.#timer);
      this.#timer = setTimeout(() => this.release(), againMs);
    } finally {
      this.#isBusy = false;
    }
  }

  /** The first group that was let in; undefined also while one before it may be, but has not been answered. */
  #next(): GangGroup | undefined {
    for (const group of this.#order) {
      if (isLetIn(group.attended)) {
        if (gatedOf(group).length > 0) return group;
      } else if (isAboutToBeLetIn(group.attended)) return undefined;
    }
    return undefined;
  }

  async #open(group: GangGroup): Promise<void> {
    this.#ungating(group);
    const results = await Promise.allSettled(
      gatedOf(group).map(async (record) => {
        // Before the watch shows it, so that it is not removed twice.
        record.isUngated = true;
        try {
          await this.#world.ungate(record.pod.metadata);
          this.#world.metrics.ungated();
        } catch (error) {
          record.isUngated = false;
          throw error;
        }
      }),
    );
    const failure = results.find((result) => result.status === "rejected");
    if (failure) throw failure.reason;
  }
}
