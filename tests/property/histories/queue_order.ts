/**
 * What must hold of the order in which gangs queue, worked out once more.
 *
 * @module
 */
import { type GangSpec, groupId } from "../../../shared/core/gang/facts.ts";
import type { Settings } from "../../../shared/core/gang/settings.ts";
import type { QueueKey, QueueUnit } from "../../../shared/core/queue/order.ts";

/** What a group has beside others. */
interface Claim {
  readonly id: string;
  readonly key: string;
  readonly priority: number;
  readonly hasLost: boolean;
  readonly createdAt: number;
}

/** Two groups of which the wrong one is first; undefined: there are none. */
export function faultOfOrder(
  units: readonly QueueUnit[],
  keys: readonly QueueKey[],
  { queueTime }: Settings,
): string | undefined {
  const keyOf = new Map(keys.map(({ id, key }) => [id, key]));
  const byGroup = Map.groupBy(units, ({ id, gang }) => gang ? groupId(gang) : id);
  const claims = [...byGroup].map(([id, own]): Claim => ({
    id,
    key: keyOf.get(own[0]!.id)!,
    priority: Math.max(...own.map(({ gang, priority }) => gang?.priority ?? priority)),
    hasLost: own.some(({ gang, bound = 0, wholeAt = 0 }) =>
      gang !== undefined && lost(gang, bound, wholeAt)
    ),
    createdAt: Math.min(
      ...own.map(({ gang, queuedAt }) => Date.parse(gang?.createdAt ?? queuedAt)),
    ),
  }));
  const sorted = claims.toSorted((a, b) => a.key < b.key ? -1 : 1);
  for (const [index, next] of sorted.entries()) {
    const before = sorted[index - 1];
    if (!before || before.priority > next.priority) continue;
    const isByTime = queueTime === "creation" && before.hasLost === next.hasLost;
    const isWrong = before.priority < next.priority || (next.hasLost && !before.hasLost) ||
      (isByTime && before.createdAt > next.createdAt);
    if (isWrong) return `${before.id} is before ${next.id} in the queue`;
  }
  return undefined;
}

/** It was whole, and has some of its members left. */
function lost({ minMember }: GangSpec, bound: number, wholeAt: number): boolean {
  return bound > 0 && bound < minMember && wholeAt >= minMember;
}
