/**
 * What earlier runs say of how long a gang is going to run.
 *
 * @module
 */
import type { RunTime } from "./run_time.ts";

/** So many runs are looked at, the last ones: older ones were perhaps of another model, or on other nodes. */
export const runsLookedAt = 50;

/**
 * The 90th percentile, because a start that is promised by it is seldom too early, and the median beside it; `lengths` are
 * in seconds. Undefined: there were none.
 */
export function learntRunTime(lengths: readonly number[]): RunTime | undefined {
  if (lengths.length === 0) return undefined;
  const sorted = lengths.toSorted((a, b) => a - b);
  // The nearest rank: a length that there was.
  const percentile = (part: number) => sorted[Math.ceil(part * sorted.length) - 1]!;
  const seconds = Math.max(1, Math.round(percentile(0.9)));
  const median = Math.max(1, Math.round(percentile(0.5)));
  return { seconds, source: "learnt", runs: lengths.length, median };
}
