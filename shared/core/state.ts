/**
 * What is remembered of a gang group between calls. All of it may be lost without loss of safety.
 *
 * @module
 */
import type { RelayStamp } from "./facts.ts";
import type { Reason } from "./reason.ts";

/** One attempt to get a whole gang group through the scheduler; open while a relay holds members of it. */
export interface Round {
  readonly relay: string;
  /** Milliseconds since the epoch, as all times of the state. */
  readonly startedAt: number;
  readonly deadline: number;
}

/** The last round that failed. */
export interface Failure {
  readonly at: number;
  /** Until then the gang group is not tried again. */
  readonly closedUntil: number;
  readonly reason: Reason;
  readonly message: string;
}

/** The state of one gang group. */
export interface GroupState {
  /** Newest facts seen. */
  readonly relay?: RelayStamp | undefined;
  readonly round?: Round | undefined;
  readonly failure?: Failure | undefined;
  /** UIDs of the PodGroups, by gang: another UID is another gang. */
  readonly uids?: Readonly<Record<string, string>> | undefined;
}

/** The state of a gang group never heard of. */
export const emptyState: GroupState = {};
