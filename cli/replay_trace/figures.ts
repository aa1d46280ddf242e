/**
 * What a replay of a trace comes to.
 *
 * @module
 */
import type { Ran, Replayed } from "./replay_jobs.ts";
import type { TraceNode } from "./trace_files.ts";

/** Mean, median and 95th percentile. */
export interface Spread {
  readonly mean: number;
  readonly median: number;
  readonly p95: number;
}

/** Jobs of about one size. */
export interface SizeFigures {
  /** GPUs, from so many to so many. */
  readonly gpus: readonly [least: number, most: number];
  readonly jobs: number;
  /** In seconds. */
  readonly wait: Spread;
  readonly slowdown: Spread;
}

/** What became of a trace under one rule. */
export interface Figures {
  readonly started: number;
  /** Larger than the cluster; left out. */
  readonly tooLarge: number;
  readonly stuck: number;
  /** GPU time that is used, of all from the first submission to the last end; 0 to 1. */
  readonly utilisation: number;
  /** From submission to start, in seconds. */
  readonly wait: Spread;
  /** (Wait and run time) / run time; runs of less than ten seconds count as ten. */
  readonly slowdown: Spread;
  readonly bySize: readonly SizeFigures[];
  /** Of the jobs with the most GPUs, mean, in seconds. */
  readonly largestWait: number;
  /** GPUs that stand idle while a job waits, mean over the time in which one does. */
  readonly stranded: number;
  /** Jobs that were promised a start, and those of them that started by then. */
  readonly promises: { readonly made: number; readonly kept: number };
  /** From the first submission to the last end, in seconds. */
  readonly span: number;
}

const shortest = 10_000;

/** The figures of a replay on these nodes. */
export function figuresOf(
  { ran, tooLarge, stuck, idle }: Replayed,
  nodes: readonly TraceNode[],
): Figures {
  const gpus = nodes.reduce((sum, node) => sum + node.gpus, 0);
  const from = min(ran.map(({ job }) => job.submittedAt));
  const to = max(ran.map(({ job, startedAt }) => startedAt + job.duration));
  const used = sumOf(ran.map(({ job }) => sizeOf(job) * job.duration));
  const largest = max(ran.map(({ job }) => sizeOf(job)));
  const promised = ran.filter((one) => one.promised !== undefined);
  return {
    started: ran.length,
    tooLarge,
    stuck,
    utilisation: to > from ? used / (gpus * (to - from)) : 0,
    wait: spreadOf(ran.map(waitOf)),
    slowdown: spreadOf(ran.map(slowdownOf)),
    bySize: sizesOf(ran),
    largestWait: spreadOf(ran.filter(({ job }) => sizeOf(job) === largest).map(waitOf)).mean,
    stranded: idle,
    promises: {
      made: promised.length,
      kept: promised.filter((one) => one.startedAt <= one.promised!).length,
    },
    span: Math.max(0, to - from) / 1000,
  };
}

/** Powers of two: 1, 2 to 3, 4 to 7, … */
function sizesOf(ran: readonly Ran[]): SizeFigures[] {
  const classes = Map.groupBy(ran, ({ job }) => Math.floor(Math.log2(Math.max(1, sizeOf(job)))));
  return [...classes].sort(([a], [b]) => a - b).map(([power, jobs]) => ({
    gpus: [2 ** power, 2 ** (power + 1) - 1],
    jobs: jobs.length,
    wait: spreadOf(jobs.map(waitOf)),
    slowdown: spreadOf(jobs.map(slowdownOf)),
  }));
}

function sizeOf({ members, gpus }: Ran["job"]): number {
  return members * gpus;
}

function waitOf({ job, startedAt }: Ran): number {
  return (startedAt - job.submittedAt) / 1000;
}

function slowdownOf({ job, startedAt }: Ran): number {
  return Math.max(
    1,
    (startedAt - job.submittedAt + job.duration) / Math.max(shortest, job.duration),
  );
}

/** Of these values; zeros where there are none. */
export function spreadOf(values: readonly number[]): Spread {
  const sorted = values.toSorted((a, b) => a - b);
  const at = (part: number) => sorted[Math.max(0, Math.ceil(part * sorted.length) - 1)] ?? 0;
  return { mean: sumOf(sorted) / (sorted.length || 1), median: at(0.5), p95: at(0.95) };
}

function sumOf(values: readonly number[]): number {
  return values.reduce((sum, value) => sum + value, 0);
}

function min(values: readonly number[]): number {
  return values.reduce((a, b) => Math.min(a, b), Infinity);
}

function max(values: readonly number[]): number {
  return values.reduce((a, b) => Math.max(a, b), -Infinity);
}
