/**
 * Nominations: the scheduler keeps room from pods of no higher priority for a pod for which victims leave.
 *
 * @module
 */

/** What is known of a gang group that has nominated members which are not held. */
export interface NominatedGroup {
  /** Since when it is not let in, in ms since the epoch. */
  readonly rejectedSince: number | undefined;
  /** It is let in as soon as the pause after a failed round is over. */
  readonly onlyPauses: boolean;
  /** Since when all members that it needs have had room, in ms since the epoch. */
  readonly fitsSince: number | undefined;
}

/** A cycle of the scheduler that began before its gang was rejected is over, and its end written, within this time. */
const staleMs = 1000;
/** A little longer than the shipped largest back-off: by then the scheduler has tried every member again. */
const settleMs = 4000;

/**
 * When nominations come to nothing, in ms since the epoch; Infinity: members are still to go there. They keep room that nobody
 * takes, or their members sleep: the scheduler may miss that a victim has left (kubernetes #141694), and takes it for a
 * departure if a nomination ends.
 */
export function nominationsEndAt({ rejectedSince, onlyPauses, fitsSince }: NominatedGroup): number {
  if (rejectedSince !== undefined) return onlyPauses ? Infinity : rejectedSince + staleMs;
  return fitsSince === undefined ? Infinity : fitsSince + settleMs;
}
