/**
 * Members that left evictions to their group: they are woken when they may evict others for themselves.
 *
 * @module
 */
import { type Attended, isLetIn } from "./attended.ts";
import type { Advanced } from "./effect.ts";
import { wakeUp } from "./refusal.ts";
import { beyondNeed, evictsAt, expectedIn, nextLateAt } from "./surplus.ts";

/** Members that left evictions to their group, and may evict others for themselves since. */
export function mayEvictSince(attended: Attended, now: number): readonly string[] {
  const left = leftToGroup(attended, now);
  const uids = new Set(beyondNeed(attended, left.map(({ uid }) => uid), now));
  for (const { uid, at } of left) if (at <= now) uids.add(uid);
  return [...uids];
}

/** When the next of them may because it has room, if nothing happens before, in ms since the epoch; Infinity: none may. */
export function nextEvictsAt(attended: Attended, now: number): number {
  const left = leftToGroup(attended, now).filter(({ hasNodes }) => hasNodes);
  if (left.length === 0) return Infinity;
  // Whoever does not come after all leaves its room to them.
  return Math.min(...left.map(({ at }) => at), nextLateAt(attended, now));
}

/** A member that left evictions to its group. */
interface Left {
  readonly uid: string;
  readonly hasNodes: boolean;
  /** When it may evict on the first of its nodes because it has room there, in ms since the epoch; Infinity: on none. */
  readonly at: number;
}

function leftToGroup(attended: Attended, now: number): readonly Left[] {
  if (!isLetIn(attended)) return [];
  const left = [...attended.refused].flatMap(([uid, { leftToGroup: nodes }]) =>
    nodes ? { uid, nodes } : []
  );
  if (left.length === 0) return [];
  const expected = expectedIn(attended, now);
  return left.map(({ uid, nodes }) => ({
    uid,
    hasNodes: nodes.length > 0,
    at: Math.min(...nodes.map((on) => evictsAt(attended, { uid, on }, expected))),
  }));
}

/** Wakes them. Whoever is told by that where to go is one less that the group needs: others may evict, too. */
export function wakeWhoMayEvict(attended: Attended, now: number): Advanced {
  let woken: Advanced = { attended, effects: [] };
  for (;;) {
    const uids = mayEvictSince(woken.attended, now);
    if (uids.length === 0) return woken;
    const { attended, effects } = wakeUp(woken.attended, uids);
    woken = { attended, effects: [...woken.effects, ...effects] };
  }
}
