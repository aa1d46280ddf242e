/**
 * Muster's scheduling gate: removed from the members of gang groups that were let in, one whole group after another in
 * queue order, so that the scheduler tries them in that order.
 *
 * @module
 */
import { type Attended, isAboutToBeLetIn, isLetIn } from "./attended.ts";

/** A group in the queue, and whether members of it wait behind Muster's gate. */
export interface Gated {
  readonly attended: Attended;
  readonly isGated: boolean;
}

/**
 * The first group that was let in and has members to release; none also while one before it may be let in, but has not been
 * answered. Those whose gates could not be removed just now hold nobody up.
 */
export function nextToUngate<Group extends Gated>(
  order: Iterable<Group>,
  failed: ReadonlySet<Group>,
): Group | undefined {
  for (const group of order) {
    // Of a long queue few are either, and who has gates is only known by its members.
    const mayEnter = isLetIn(group.attended);
    if (!mayEnter && !isAboutToBeLetIn(group.attended)) continue;
    if (group.isGated && !failed.has(group)) return mayEnter ? group : undefined;
  }
  return undefined;
}
