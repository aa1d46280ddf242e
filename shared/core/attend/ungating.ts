/**
 * Muster's scheduling gate: removed from the members of gang groups that were let in, one whole group after another in
 * queue order, so that the scheduler tries them in that order.
 *
 * @module
 */
import { type Attended, isAboutToBeLetIn, isLetIn } from "./attended.ts";
import { times } from "./times.ts";

/** A group in the queue, and whether members of it wait behind Muster's gate. */
export interface Gated {
  readonly attended: Attended;
  readonly isGated: boolean;
}

/**
 * The first group that was let in and has members to release; none also while one before it may be let in, but has not been
 * answered, until a time in ms since the epoch: whom the functions leave without an answer holds nobody up, nor do those whose
 * gates could not be removed just now.
 */
export function nextToUngate<Group extends Gated>(
  order: Iterable<Group>,
  { failed, now }: { failed: ReadonlySet<Group>; now: number },
): { next?: Group; until: number } {
  for (const group of order) {
    // Of a long queue few are either, and who has gates is only known by its members.
    const mayEnter = isLetIn(group.attended);
    const until = mayEnter ? Infinity : answeredBy(group.attended);
    if (now >= until || !group.isGated || failed.has(group)) continue;
    return mayEnter ? { next: group, until } : { until };
  }
  return { until: Infinity };
}

/** For so long those behind it wait; 0: it is not about to be let in. */
function answeredBy(attended: Attended): number {
  const { told } = attended;
  return told && isAboutToBeLetIn(attended) ? told.at + times.ungates : 0;
}
