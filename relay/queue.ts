/**
 * The order in which gang groups are planned.
 *
 * @module
 */
import type { Gang } from "./gang.ts";
import type { GangGroup } from "./gang_group.ts";
import type { World } from "./world.ts";

/** Groups that one call asks about: the others follow, each body far below what the functions take. */
const mostGroups = 1000;

/** Keeps the keys that queue-sort gave. */
export class Queue {
  readonly #world: World;
  readonly #keys = new WeakMap<GangGroup, { basis: string; key: string }>();
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

  /** Asks for keys where something that decides the order has changed; true when there are new ones. */
  async refresh(groups: readonly GangGroup[]): Promise<boolean> {
    if (groups.length < 2 || this.#isAsking) return false;
    const bases = new Map<GangGroup, string>();
    for (const group of groups) {
      const basis = basisOf(group);
      if (this.#keys.get(group)?.basis !== basis) bases.set(group, basis);
      if (bases.size === mostGroups) break;
    }
    if (bases.size === 0) return false;
    this.#isAsking = true;
    const { metrics, policy } = this.#world;
    try {
      const units = [...bases.keys()].flatMap(unitsOf);
      const keys = await metrics.timed("queue-sort", () => policy.queueSort(units));
      for (const [group, basis] of bases) {
        const key = keys.get(group.gangs[0]!.id);
        if (key !== undefined) this.#keys.set(group, { key, basis });
      }
      return true;
    } catch (error) {
      metrics.functionFailed("queue-sort", error as Error);
      return false;
    } finally {
      this.#isAsking = false;
    }
  }
}

/** All that the group's key depends on. */
function basisOf(group: GangGroup): string {
  const gangs = group.gangs.map((gang) => {
    const { createdAt, priority, minMember } = gang.read().spec;
    const bound = boundOf(gang);
    return `${createdAt} ${priority} ${bound > 0 && bound < minMember}`;
  });
  return `${gangs} ${group.failedAt}`;
}

function boundOf(gang: Gang): number {
  let bound = 0;
  for (const { node } of gang.members.values()) if (node) bound++;
  return bound;
}

function unitsOf(group: GangGroup) {
  return group.gangs.map((gang) => {
    const { spec } = gang.read();
    return {
      id: gang.id,
      gang: spec,
      priority: spec.priority ?? 0,
      queuedAt: spec.createdAt,
      bound: boundOf(gang),
    };
  });
}
