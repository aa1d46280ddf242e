/**
 * Members come one after another: to be created, and to be held.
 *
 * @module
 */
import { times } from "./times.ts";

/** The first and the last arrival, in ms since the epoch. */
export interface Arrivals {
  readonly first: number;
  readonly last: number;
}

/** One more arrival; after a pause it is the first of others. */
export function arrived({ first, last }: Arrivals, now: number): Arrivals {
  return { first: now > last + times.gatherMost ? now : first, last: now };
}

/** When members that arrived then are not likely to be followed at once by more. */
export function gatheredAt({ first, last }: Arrivals): number {
  return Math.min(last + times.gatherPause, first + times.gatherMost);
}
