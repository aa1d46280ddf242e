/**
 * Which gangs may pass one that waits for room.
 *
 * @module
 */

/**
 * How room is kept for gangs that wait:
 *
 * - `none`: nobody passes into room that one before waits for.
 * - `timed`, or a number of seconds: whoever fits passes for a minute, or so long; then all room is kept for those before.
 * - `easy`, `easy-<N>`: for the first gang that does not fit, or the first N, room is reserved from when it will be free; others
 *   start where they have ended by then, or leave that room (EASY backfilling; Lifka 1995, Mu'alem and Feitelson 2001).
 * - `conservative`: it is reserved for all.
 */
export type BackfillRule = string;

/** What a rule comes to. */
export interface Backfill {
  /** For so many gangs room is reserved from a time on. */
  readonly reservations: number;
  /** So long, in ms, a gang for which nothing is reserved may be passed. */
  readonly backfillMs: number;
}

/** What may be given. */
export const backfillRules = "none, timed, <seconds>, easy, easy-<N> or conservative";

const patienceMs = 60_000;
const mostReservations = 1000;

/** Undefined: there is no such rule. */
export function backfillOf(rule: BackfillRule): Backfill | undefined {
  if (rule === "none") return { reservations: 0, backfillMs: 0 };
  if (rule === "timed") return { reservations: 0, backfillMs: patienceMs };
  if (rule === "easy") return { reservations: 1, backfillMs: patienceMs };
  if (rule === "conservative") return { reservations: Infinity, backfillMs: patienceMs };
  const [, first] = /^easy-([1-9]\d*)$/.exec(rule) ?? [];
  if (first !== undefined && Number(first) <= mostReservations) {
    return { reservations: Number(first), backfillMs: patienceMs };
  }
  const seconds = /^\d+(\.\d+)?$/.test(rule) ? Number(rule) : NaN;
  return seconds >= 0 && seconds < Infinity
    ? { reservations: 0, backfillMs: 1000 * seconds }
    : undefined;
}
