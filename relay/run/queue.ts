/**
 * The order in which gang groups are planned.
 *
 * @module
 */
import type { GangGroup } from "../../shared/cluster/gang_group.ts";
import { queuedOf } from "../../shared/cluster/queued.ts";
import {
  basisOf,
  batchOf,
  halvesOf,
  inKeyOrder,
  type Queued,
} from "../../shared/core/queue/asking.ts";
import { CallFailed } from "../policy/policy_client.ts";
import type { World } from "./world.ts";

/** A group that is asked about. */
interface Asking extends Queued {
  readonly group: GangGroup;
  readonly basis: string;
}

/** Whose order the keys are of, and until when they hold, in ms since the epoch. */
interface Order {
  readonly order: string | undefined;
  readonly until: number;
}

/** Keeps the keys that queue-sort gave. */
export class Queue {
  readonly #world: World;
  /** Without a key: the functions do not take what it says. */
  readonly #keys = new WeakMap<GangGroup, { basis: string; key: string | undefined; by: Order }>();
  /** Keys of another order, or of one that is over, are asked for again. */
  #order: Order = { order: undefined, until: Infinity };
  #isAsking = false;

  constructor(world: World) {
    this.#world = world;
  }

  /** The groups in key order; those whose key is not known yet come last, the oldest first. */
  inOrder(groups: readonly GangGroup[]): GangGroup[] {
    return inKeyOrder(groups, (group) => {
      const { createdAt } = group.gangs[0]!.read().spec;
      return { key: this.#keys.get(group)?.key, createdAt };
    });
  }

  /** Whether something that decides the order has changed since the group's key was given. */
  isOutdated(group: GangGroup): boolean {
    const known = this.#keys.get(group);
    return known !== undefined && known.basis !== basisOf(queuedOf(group));
  }

  /** Asks for keys where something that decides the order has changed; true when there are new ones. */
  async refresh(groups: readonly GangGroup[]): Promise<boolean> {
    if (groups.length < 2 || this.#isAsking) return false;
    if (Date.now() >= this.#order.until) this.#order = { ...this.#order, until: Infinity };
    const batch = batchOf(groups.flatMap((group) => this.#askingOf(group)));
    if (batch.length === 0) return false;
    this.#isAsking = true;
    try {
      await this.#ask(batch);
      return true;
    } catch (error) {
      this.#world.metrics.functionFailed("queue-sort", error as Error);
      return false;
    } finally {
      this.#isAsking = false;
    }
  }

  #askingOf(group: GangGroup): Asking[] {
    const queued = queuedOf(group);
    const basis = basisOf(queued);
    const known = this.#keys.get(group);
    const isKnown = known?.basis === basis && known.by === this.#order;
    return isKnown ? [] : [{ ...queued, group, basis }];
  }

  async #ask(batch: readonly Asking[]): Promise<void> {
    const { metrics, policy } = this.#world;
    try {
      const units = batch.flatMap((asking) => asking.units);
      const sorted = await metrics.timed("queue-sort", () => policy.queueSort(units));
      const { order, askAgainSeconds = Infinity } = sorted;
      const until = Date.now() + askAgainSeconds * 1000;
      if (order !== this.#order.order || until < this.#order.until) this.#order = { order, until };
      const by = this.#order;
      const keys = new Map(sorted.keys.map(({ id, key }) => [id, key]));
      for (const { group, basis, units } of batch) {
        const key = keys.get(units[0]!.id);
        if (key !== undefined) this.#keys.set(group, { key, basis, by });
      }
    } catch (error) {
      if (!(error instanceof CallFailed && error.isRefusal)) throw error;
      const [{ group, basis }] = batch as [Asking];
      if (batch.length === 1) {
        metrics.callRefused(group.title, error);
        this.#keys.set(group, { key: undefined, basis, by: this.#order });
      }
      for (const half of halvesOf(batch)) await this.#ask(half);
    }
  }
}
