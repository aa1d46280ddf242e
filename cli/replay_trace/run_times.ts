/**
 * What is known beforehand of how long jobs run.
 *
 * @module
 */
import type { RunTime } from "../../shared/core/gang/run_time.ts";
import type { Job } from "./trace_files.ts";

/** Knows run times, or learns them. */
export interface RunTimes {
  /** Undefined: it is not known. */
  readonly of: (job: Job) => RunTime | undefined;
  readonly ended: (job: Job) => void;
}

/** What may be given. */
export const estimateKinds = "true, times:<factor>, learnt or none";

/** So many earlier jobs of the same size are remembered. */
const runsLookedAt = 50;

/** Undefined: there is no such kind. */
export function runTimesBy(kind: string): RunTimes | undefined {
  if (kind === "learnt") return learning();
  if (kind === "none") return { of: () => undefined, ended: () => {} };
  const factor = kind === "true" ? 1 : Number(/^times:(\d+(?:\.\d+)?)$/.exec(kind)?.[1] ?? NaN);
  if (!(factor > 0)) return undefined;
  return {
    of: ({ duration }) => ({ seconds: factor * duration / 1000, source: "declared" }),
    ended: () => {},
  };
}

/** The 90th percentile of the last jobs of the same size that have ended: a trace names no owners. */
function learning(): RunTimes {
  const bySize = new Map<number, number[]>();
  return {
    of: ({ members, gpus }) => {
      const lengths = bySize.get(members * gpus);
      if (!lengths) return undefined;
      const sorted = lengths.toSorted((a, b) => a - b);
      const seconds = sorted[Math.ceil(0.9 * sorted.length) - 1]! / 1000;
      return { seconds, source: "learnt", runs: lengths.length };
    },
    ended: ({ members, gpus, duration }) => {
      const lengths = bySize.get(members * gpus) ?? [];
      bySize.set(members * gpus, [...lengths, duration].slice(-runsLookedAt));
    },
  };
}
