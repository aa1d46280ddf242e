/**
 * What policy answers.
 *
 * @module
 */
import type { MatchPolicy, Whole } from "../gang/facts.ts";
import type { RunTime } from "../gang/run_time.ts";
import type { Reason } from "../words/reason.ts";

/** Of gangs that their group can do without, by `namespace/name`: why they wait. */
export type WhyLeftOut = Readonly<
  Record<string, { readonly reason: Reason; readonly message: string }>
>;

/** What should be true of the held members of a gang group, uid by uid. */
export interface Decision {
  readonly verdict: "allow" | "wait" | "reject";
  readonly allow: string[];
  readonly wait: string[];
  readonly reject: string[];
  /** Further held members without which the answer stays the same. */
  readonly need?: number | undefined;
  /** RFC 3339 time at which the wait ends. */
  readonly deadline?: string | undefined;
  readonly askAgainSeconds?: number | undefined;
  /** The gang group is not to be tried again: its members without a node are to be annotated so (S3). */
  readonly park?: boolean | undefined;
  /** RFC 3339 time of the gang group's last failed round. */
  readonly failedAt?: string | undefined;
  /** What queue-sort is told as `wholeAt` of each gang that was whole once. */
  readonly whole?: Whole | undefined;
  readonly leftOut?: WhyLeftOut | undefined;
  readonly reason: Reason;
  /** One sentence a person can act on. */
  readonly message: string;
}

/** Whether the scheduler may try a gang group's members now. */
export interface Admission {
  readonly verdict: "allow" | "reject";
  readonly reason: Reason;
  readonly message: string;
  /** What would help, where that does not follow from the reason. */
  readonly help?: string | undefined;
  /** Further members without which the answer stays the same. */
  readonly need?: number | undefined;
  /** Further members that each gang of a group of several needs, by `namespace/name`. */
  readonly needs?: Record<string, number> | undefined;
  readonly retryAfterSeconds?: number | undefined;
  /** What queue-sort is told as `wholeAt` of each gang that was whole once. */
  readonly whole?: Whole | undefined;
  readonly leftOut?: WhyLeftOut | undefined;
  /** How gangs are counted that name no policy: plans are to count them likewise. */
  readonly matchPolicy?: MatchPolicy | undefined;
  /** Of gangs of which it was asked how long those like them ran, by `namespace/name`; of others nothing is known. */
  readonly runTimes?: Readonly<Record<string, RunTime>> | undefined;
  /** A gang group whose held members are to be asked about anew, because this one came (S0). */
  readonly askAgain?: string | undefined;
}
