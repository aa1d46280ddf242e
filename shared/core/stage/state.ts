/**
 * What is remembered of a gang group between calls. All of it may be lost without loss of safety.
 *
 * @module
 */
import type { RelayStamp, Whole } from "../gang/facts.ts";
import type { Reason } from "../words/reason.ts";

/** One attempt to get a whole gang group through the scheduler; open while a relay holds members of it. */
export interface Round {
  readonly relay: string;
  /** Milliseconds since the epoch, as all times of the state. */
  readonly startedAt: number;
  readonly deadline: number;
  /** Since when no member is held, but may be again at once: a call that lasted too long, a scheduler that restarted. */
  readonly emptySince?: number | undefined;
  /** The gang group that came while this one was incomplete (S0). */
  readonly abandonedFor?: string | undefined;
}

/** The last round that failed. */
export interface Failure {
  readonly at: number;
  /** Until then the gang group is not tried again. */
  readonly closedUntil: number;
  readonly reason: Reason;
  readonly message: string;
  /** It was the gang group's last: it is to be parked (S3). */
  readonly park?: boolean | undefined;
}

/** The state of one gang group. */
export interface GroupState {
  /** Newest facts seen. */
  readonly relay?: RelayStamp | undefined;
  readonly round?: Round | undefined;
  readonly failure?: Failure | undefined;
  /** The last answer's reason, and since when it has been the same. */
  readonly standing?: { readonly reason: Reason; readonly since: number } | undefined;
  /** Gangs that were whole once. */
  readonly whole?: Whole | undefined;
  /** UIDs of the PodGroups, by gang: another UID is another gang. */
  readonly uids?: Readonly<Record<string, string>> | undefined;
}

/** The state of a gang group never heard of. */
export const emptyState: GroupState = {};
