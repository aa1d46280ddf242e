/**
 * Whom a preemptor may evict: running gangs stay whole where there is another choice.
 *
 * @module
 */

/** What an eviction takes of a running gang. */
export interface GangLoss {
  readonly minMember: number;
  /** Members with a node. */
  readonly bound: number;
  readonly succeeded: number;
  /** Those of the bound members that would be evicted. */
  readonly victims: number;
}

/** The victims on one node. */
export interface Eviction {
  readonly node: string;
  readonly pdbViolations: number;
  /** Of each victim. */
  readonly priorities: readonly number[];
  /** One entry for each gang that has victims among them. */
  readonly gangs: readonly GangLoss[];
}

/**
 * The nodes left to the scheduler: of those that violate the fewest disruption budgets (its own first rule) those where the
 * fewest gangs fall below minMember, and of these the ones where the fewest stay half alive. Just one node where gangs lose
 * members at all, chosen as the scheduler does, so that it is known who leaves.
 */
export function leastHarmful(evictions: readonly Eviction[]): string[] {
  const best = least(evictions, ({ pdbViolations, gangs }) => {
    const broken = gangs.filter(isBroken);
    return [
      pdbViolations,
      broken.length,
      broken.filter(({ bound, victims }) => bound > victims).length,
    ];
  });
  if (best.every(({ gangs }) => gangs.length === 0)) return best.map(({ node }) => node);
  const [chosen] = least(best, ({ priorities }) => [
    Math.max(...priorities),
    priorities.reduce((sum, priority) => sum + priority, 0),
    priorities.length,
  ]);
  return chosen ? [chosen.node] : [];
}

/** Whether a gang that is whole would not be any more: one that is broken already has no more to lose. */
function isBroken({ minMember, bound, succeeded, victims }: GangLoss): boolean {
  const whole = bound + succeeded;
  return whole >= minMember && whole - victims < minMember;
}

/** The items of the least rank; ranks are compared number by number. */
function least<T>(items: readonly T[], rankOf: (item: T) => readonly number[]): T[] {
  const ranked = items.map((item) => ({ item, rank: rankOf(item) }));
  const [first] = ranked.toSorted((a, b) => compare(a.rank, b.rank));
  return ranked.filter(({ rank }) => first && compare(rank, first.rank) === 0)
    .map(({ item }) => item);
}

function compare(a: readonly number[], b: readonly number[]): number {
  const at = a.findIndex((value, index) => value !== b[index]);
  return at < 0 ? 0 : a[at]! - b[at]!;
}
