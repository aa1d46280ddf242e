/**
 * When a gang ran and is going to.
 *
 * @module
 */
import type { RunTime } from "./run_time.ts";

/** When a gang that waits is going to start. */
export interface StartEstimate {
  /** RFC 3339, rounded as it is said. */
  readonly startsAt: string;
  /** `namespace/name` of the gang that ends before it. */
  readonly after?: string | undefined;
  /** That gang runs for longer than was expected. */
  readonly isOverdue?: boolean | undefined;
  /** Where it starts, by the values of the labels. */
  readonly domain?: string | undefined;
}

/** The times of one gang, for whoever looks: no decision reads them. */
export interface GangTimes {
  readonly runTime?: RunTime | undefined;
  /** How long gangs like it ran is asked for. */
  readonly asks?: boolean | undefined;
  /** The kind of what controls its pods: `Job`. */
  readonly owner?: string | undefined;
  /** What its members ask for together, by resource name, in the scheduler's units. */
  readonly requests?: Readonly<Record<string, number>> | undefined;
  /** RFC 3339 time at which its first member started. */
  readonly startedAt?: string | undefined;
  /** RFC 3339 time at which the last one ended; absent while one runs. */
  readonly endedAt?: string | undefined;
  readonly estimate?: StartEstimate | undefined;
}

/** A gang that ran, as it is remembered. */
export interface Run {
  readonly namespace: string;
  readonly name: string;
  /** {@linkcode runPattern} of the gang. */
  readonly pattern: string;
  /** In ms since the epoch, as all times here. */
  readonly createdAt: number;
  readonly startedAt: number;
  readonly endedAt: number;
  readonly members: number;
  readonly priority: number;
  readonly requests: Readonly<Record<string, number>>;
  /** Others are expected to run for as long: it was neither preempted, nor has a member failed. */
  readonly isLearnt: boolean;
}
