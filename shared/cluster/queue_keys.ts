/**
 * The keys by which gang groups queue.
 *
 * @module
 */
import { times } from "../core/attend/times.ts";
import { Carried } from "../core/gang/carried.ts";
import { basisOf, batchOf, inKeyOrder, type Queued } from "../core/queue/asking.ts";
import type { GangGroup } from "./gang_group.ts";
import { placedBy, queuedOf } from "./queued.ts";

/** A group that queue-sort is asked about. */
export interface QueuedGroup extends Queued {
  readonly group: GangGroup;
  readonly basis: string;
}

/** What queue-sort answers. */
export interface Sorted {
  readonly keys: readonly { readonly id: string; readonly key: string }[];
  /** Keys of another order do not compare with these. */
  readonly order?: string | undefined;
  /** How long the keys hold; absent: until what they depend on changes. */
  readonly askAgainSeconds?: number | undefined;
}

/** Whose order the keys are of, and until when they hold, in ms since the epoch. */
interface Order {
  readonly order: string | undefined;
  readonly until: number;
}

/** What a group's key depends on as a text, and what that was read from. */
interface Basis {
  readonly text: string;
  readonly versions: GangGroup["versions"];
  readonly whole: GangGroup["attended"]["whole"];
  readonly failedAt: GangGroup["attended"]["failedAt"];
}

/** Keeps the keys that queue-sort gave. */
export class QueueKeys {
  /** Without a key: the functions do not take what it says. */
  readonly #keys = new Carried<GangGroup, { basis: string; key: string | undefined; by: Order }>();
  /** Most groups of a queue have not changed since they were looked at last. */
  readonly #bases = new Carried<GangGroup, Basis>();
  /** Keys of another order, or of one that is over, are asked for again. */
  #order: Order = { order: undefined, until: Infinity };

  /** Until when the keys hold, in ms since the epoch; Infinity: until what they depend on changes. */
  get until(): number {
    return this.#order.until;
  }

  /** The groups in key order; those whose key is not known yet come last, by priority and age. */
  inOrder(groups: readonly GangGroup[]): GangGroup[] {
    return inKeyOrder(groups, (group) => ({
      key: this.#keys.of(group)?.key,
      queued: () => placedBy(group),
    }));
  }

  /** Whether something that decides the order has changed since the group's key was given. */
  isOutdated(group: GangGroup): boolean {
    const known = this.#keys.of(group);
    return known !== undefined && known.basis !== this.#basisOf(group);
  }

  #basisOf(group: GangGroup): string {
    const last = this.#bases.of(group);
    if (last && isStill(last, group)) return last.text;
    const { versions, attended: { whole, failedAt } } = group;
    const text = basisOf(placedBy(group));
    this.#bases.put(group, { text, versions, whole, failedAt });
    return text;
  }

  /**
   * The groups that one call asks about, where something that decides the order has changed; none where one waits alone. `now`
   * is in ms since the epoch.
   */
  due(groups: readonly GangGroup[], now: number): QueuedGroup[] {
    if (groups.length < 2) return [];
    if (now >= this.#order.until) this.#order = { ...this.#order, until: Infinity };
    return batchOf(groups.flatMap((group) => {
      const basis = this.#basisOf(group);
      const known = this.#keys.of(group);
      const isKnown = known?.basis === basis && known.by === this.#order;
      return isKnown ? [] : [{ ...queuedOf(group), group, basis }];
    }));
  }

  /** queue-sort gave keys for a batch. */
  sorted(
    batch: readonly QueuedGroup[],
    { keys, order, askAgainSeconds = Infinity }: Sorted,
    now: number,
  ) {
    const until = now + Math.max(times.outage, askAgainSeconds * 1000);
    if (order !== this.#order.order || until < this.#order.until) this.#order = { order, until };
    const byId = new Map(keys.map(({ id, key }) => [id, key]));
    for (const { group, basis, units } of batch) {
      const key = byId.get(units[0]!.id);
      if (key !== undefined) this.#keys.put(group, { key, basis, by: this.#order });
    }
  }

  /** queue-sort does not take what a group says: it has no key until that changes. */
  refused({ group, basis }: QueuedGroup): void {
    this.#keys.put(group, { key: undefined, basis, by: this.#order });
  }
}

/** Whether nothing that the basis was read from is another. */
function isStill(last: Basis, { versions, attended: { whole, failedAt } }: GangGroup): boolean {
  return versions === last.versions && whole === last.whole && failedAt === last.failedAt;
}
