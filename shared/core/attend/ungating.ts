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
 * answered. Whom the functions leave without an answer holds nobody up, nor does a group whose gates could not be removed just
 * now: it has its next turn `until` then, in ms since the epoch.
 */
export function nextToUngate<Group extends Gated>(
  order: Iterable<Group>,
  now: number,
): { next?: Group; until: number } {
  let until = Infinity;
  for (const group of order) {
    // Of a long queue few are either, and who has gates is only known by its members.
    const mayEnter = isLetIn(group.attended);
    const waits = mayEnter ? restsUntil(group.attended) : answeredBy(group.attended);
    const isNext = mayEnter && now >= waits;
    if (!isNext && now >= waits || !group.isGated) continue;
    if (isNext) return { next: group, until };
    until = Math.min(until, waits);
    if (!mayEnter) break;
  }
  return { until };
}

/** For so long those behind it wait; 0: it is not about to be let in. */
function answeredBy(attended: Attended): number {
  const { told } = attended;
  return told && isAboutToBeLetIn(attended) ? told.at + times.ungates : 0;
}

/** Gates of its members are being removed: they keep their room for a while, however often that fails. */
export function ungates(attended: Attended, now: number): Attended {
  const since = now < forgottenAt(attended) ? attended.ungatingSince ?? now : now;
  return { ...attended, keepsUntil: since + times.keeps, ungatedAt: now, ungatingSince: since };
}

/** Whether the gates of its members could not be removed for long: room is of no use to it. */
export function isStuckAtGate(attended: Attended, now: number): boolean {
  const { ungatingSince, ungatedAt = 0 } = attended;
  return ungatingSince !== undefined && ungatedAt - ungatingSince >= times.keeps &&
    now < forgottenAt(attended);
}

/** When gates that could not be removed are tried again: ever more seldom. */
function restsUntil({ ungatingSince, ungatedAt = 0 }: Attended): number {
  if (ungatingSince === undefined) return 0;
  const { gateAgain, gateAgainMost } = times;
  return ungatedAt + Math.min(Math.max(gateAgain, ungatedAt - ungatingSince), gateAgainMost);
}

/** They were removed by somebody else, if nobody has tried again until then. */
function forgottenAt(attended: Attended): number {
  return restsUntil(attended) + times.keeps;
}
