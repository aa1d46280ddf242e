/**
 * How long gangs run.
 *
 * @module
 */

/** A gang's run time, and how it is known; a gang of which none is known never ends, as far as anybody knows. */
export interface RunTime {
  /** From when all its members have a node. */
  readonly seconds: number;
  /** What says so: its annotation, a deadline, earlier runs, or a setting. */
  readonly source: "declared" | "deadline" | "learnt" | "setting";
  /** So many earlier runs it was learnt from. */
  readonly runs?: number | undefined;
  /** Half of them took no longer, in seconds; `seconds` is what 9 of 10 took at most. */
  readonly median?: number | undefined;
}
