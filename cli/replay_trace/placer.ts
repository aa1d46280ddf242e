/**
 * Whoever finds nodes for the jobs of a trace.
 *
 * @module
 */
import type { Job, TraceNode } from "./trace_files.ts";

/** A job, and the nodes of its members. */
export interface Start {
  readonly job: Job;
  readonly nodes: readonly TraceNode[];
  /** The start that it was promised first, in ms; absent: it was promised none. */
  readonly promised?: number | undefined;
}

/** Jobs come and end; in between their members are given nodes. */
export interface Placer {
  came(job: Job): void;
  ended(job: Job): void;
  /** Jobs whose last member gets its node now; `now` is in ms. */
  place(now: number): readonly Start[];
  /** When a job may start though none comes or ends, in ms; absent: never. */
  readonly wakesAt?: number | undefined;
  /** GPUs of members that have a node while others of their job have none. */
  readonly held: number;
}

/** Higher priorities first, and of one the jobs that came first, as kube-scheduler's queue has it. */
export function inQueueOrder(jobs: Iterable<Job>): Job[] {
  return [...jobs].sort((a, b) => b.priority - a.priority || a.submittedAt - b.submittedAt);
}
