/**
 * The order in which gang groups are planned.
 *
 * @module
 */
import { isBroken } from "../../shared/core/queue/order.ts";
import { isSendable } from "../../shared/core/attend/unsendable.ts";
import { takeCensus } from "../../shared/kubernetes/counting/census.ts";
import type { Gang } from "../cluster/gang.ts";
import type { GangGroup } from "./gang_group.ts";
import { CallFailed } from "../policy/policy_client.ts";
import type { World } from "./world.ts";

/** What one call asks about: the other groups follow, each body far below what the functions take. */
const most = { groups: 1000, bytes: 256 * 1024 };

/** Keeps the keys that queue-sort gave. */
export class Queue {
  readonly #world: World;
  /** Without a key: the functions do not take what it says. */
  readonly #keys = new WeakMap<GangGroup, { basis: string; key: string | undefined }>();
  #isAsking = false;

  constructor(world: World) {
    this.#world = world;
  }

  /** The groups in key order; those whose key is not known yet come last, the oldest first. */
  inOrder(groups: readonly GangGroup[]): GangGroup[] {
    const key = (group: GangGroup) =>
      this.#keys.get(group)?.key ?? `~${group.gangs[0]!.read().spec.createdAt}`;
    return groups.map((group) => ({ group, key: key(group) }))
      .sort((a, b) => a.key < b.key ? -1 : a.key > b.key ? 1 : 0)
      .map(({ group }) => group);
  }

  /** Whether something that decides the order has changed since the group's key was given. */
  isOutdated(group: GangGroup): boolean {
    const known = this.#keys.get(group);
    return known !== undefined && known.basis !== basisOf(group);
  }

  /** Asks for keys where something that decides the order has changed; true when there are new ones. */
  async refresh(groups: readonly GangGroup[]): Promise<boolean> {
    if (groups.length < 2 || this.#isAsking) return false;
    const asked = batchOf(
      groups.filter((group) => this.#keys.get(group)?.basis !== basisOf(group)),
    );
    if (asked.length === 0) return false;
    this.#isAsking = true;
    try {
      await this.#ask(asked);
      return true;
    } catch (error) {
      this.#world.metrics.functionFailed("queue-sort", error as Error);
      return false;
    } finally {
      this.#isAsking = false;
    }
  }

  /** Where a call is refused each half is asked about alone, so that only the group is left out that it is refused for. */
  async #ask(asked: readonly Asking[]): Promise<void> {
    const { metrics, policy } = this.#world;
    try {
      const units = asked.flatMap((asking) => asking.units);
      const keys = await metrics.timed("queue-sort", () => policy.queueSort(units));
      for (const { group, basis, units } of asked) {
        const key = keys.get(units[0]!.id);
        if (key !== undefined) this.#keys.set(group, { key, basis });
      }
    } catch (error) {
      if (!(error instanceof CallFailed && error.isRefusal)) throw error;
      const half = Math.ceil(asked.length / 2);
      if (asked.length > 1) {
        await this.#ask(asked.slice(0, half));
        await this.#ask(asked.slice(half));
      } else {
        const { group, basis } = asked[0]!;
        metrics.callRefused(group.title, error);
        this.#keys.set(group, { key: undefined, basis });
      }
    }
  }
}

/** A group that is asked about. */
interface Asking {
  readonly group: GangGroup;
  readonly basis: string;
  readonly units: ReturnType<typeof unitsOf>;
}

/** As many of the groups, from the first on, as one call asks about. */
function batchOf(groups: readonly GangGroup[]): Asking[] {
  const batch: Asking[] = [];
  let bytes = 0;
  for (const group of groups) {
    const units = unitsOf(group);
    if (!units.every(({ gang }) => isSendable(gang))) continue;
    // Names and numbers: letters are bytes.
    bytes += JSON.stringify(units).length;
    if (batch.length === most.groups || (batch.length > 0 && bytes > most.bytes)) break;
    batch.push({ group, basis: basisOf(group), units });
  }
  return batch;
}

/** All that the group's key depends on. */
function basisOf({ gangs, attended: { whole, failedAt } }: GangGroup): string {
  const parts = gangs.map((gang) => {
    const { spec } = gang.read();
    const wholeAt = whole?.[gang.id];
    // Members are counted only of a gang that was whole once.
    const broken = wholeAt !== undefined && isBroken({ gang: spec, bound: boundOf(gang), wholeAt });
    return `${spec.createdAt} ${spec.priority} ${broken}`;
  });
  return `${parts} ${failedAt}`;
}

function boundOf(gang: Gang): number {
  return takeCensus(gang.counted().map(([, record]) => record)).bound;
}

function unitsOf(group: GangGroup) {
  return group.gangs.map((gang) => {
    const { minResources: _, ...spec } = gang.read().spec;
    return {
      id: gang.id,
      gang: spec,
      priority: spec.priority ?? 0,
      queuedAt: spec.createdAt,
      bound: boundOf(gang),
      wholeAt: group.attended.whole?.[gang.id],
    };
  });
}
