/**
 * Members that left evictions to their group: they are woken when they may evict others for themselves.
 *
 * @module
 */
import { type Attended, type Evicting, isLetIn } from "./attended.ts";
import { type Advanced, inTurn } from "./effect.ts";
import { wakeUp } from "./refusal.ts";
import { beyondNeed, evictsAt, nextLateAt } from "./surplus.ts";

/** Members that left evictions to their group, and may evict others for themselves since. */
export function mayEvictSince(attended: Attended, now: number): readonly string[] {
  const left = leftToGroup(attended);
  const uids = new Set(beyondNeed(attended, left.map(({ uid }) => uid), now));
  for (const { uid, nodes } of left) {
    if (nodes.some((on) => evictsAt(attended, { uid, on }, now) <= now)) uids.add(uid);
  }
  return [...uids];
}

/** When the next of them may because it has room, if nothing happens before, in ms since the epoch; Infinity: none may. */
export function nextEvictsAt(attended: Attended, now: number): number {
  const left = leftToGroup(attended).filter(({ nodes }) => nodes.length > 0);
  if (left.length === 0) return Infinity;
  const at = left.flatMap(({ uid, nodes }) =>
    nodes.map((on) => evictsAt(attended, { uid, on }, now))
  );
  // Whoever does not come after all leaves its room to them.
  return Math.min(...at, nextLateAt(attended, now));
}

function leftToGroup(
  attended: Attended,
): { readonly uid: string; readonly nodes: readonly Evicting[] }[] {
  if (!isLetIn(attended)) return [];
  return [...attended.refused].flatMap(([uid, { leftToGroup: nodes }]) =>
    nodes ? { uid, nodes } : []
  );
}

/** Wakes them. Whoever is told by that where to go is one less that the group needs: others may evict, too. */
export function wakeWhoMayEvict(attended: Attended, now: number): Advanced {
  const uids = mayEvictSince(attended, now);
  if (uids.length === 0) return { attended, effects: [] };
  return inTurn(attended, [
    (attended) => wakeUp(attended, uids),
    (attended) => wakeWhoMayEvict(attended, now),
  ]);
}
