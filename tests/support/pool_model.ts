/**
 * The model that fits on a page: one pool of GPUs, jobs in order of arrival, FIFO or EASY backfilling as it was published (Lifka
 * 1995): the first job that does not fit gets a start, and others pass that end by then or use what it leaves over.
 *
 * @module
 */
import type { Job } from "../../cli/replay_trace/trace_files.ts";

/** A job that runs, until then. */
interface Running {
  readonly job: Job;
  readonly until: number;
}

/** The mean wait, in ms; jobs that are larger than the pool are left out. */
export function meanWaitIn(
  gpus: number,
  { jobs, isEasy }: { jobs: Job[]; isEasy: boolean },
): number {
  const coming = jobs.filter(({ members }) => members <= gpus)
    .sort((a, b) => a.submittedAt - b.submittedAt);
  const count = coming.length;
  let queue: Job[] = [];
  let running: Running[] = [];
  let [now, free, waited] = [0, gpus, 0];
  const start = (job: Job) => {
    free -= job.members;
    waited += now - job.submittedAt;
    running.push({ job, until: now + job.duration });
    running.sort((a, b) => a.until - b.until);
  };
  while (coming.length > 0 || running.length > 0) {
    now = Math.min(coming[0]?.submittedAt ?? Infinity, running[0]?.until ?? Infinity);
    for (const { job, until } of running) if (until <= now) free += job.members;
    running = running.filter(({ until }) => until > now);
    while (coming[0] && coming[0].submittedAt <= now) queue.push(coming.shift()!);
    while (queue[0] && queue[0].members <= free) start(queue.shift()!);
    if (isEasy && queue[0]) queue = backfilled(queue);
  }
  return waited / count;

  /** Those that still wait when others have passed the first. */
  function backfilled([head, ...others]: Job[]): Job[] {
    let then = free;
    const last = running.find(({ job }) => (then += job.members) >= head!.members)!;
    let extra = then - head!.members;
    const rest = others.filter((job) => {
      const isOver = now + job.duration <= last.until;
      if (job.members > (isOver ? free : Math.min(free, extra))) return true;
      if (!isOver) extra -= job.members;
      start(job);
      return false;
    });
    return [head!, ...rest];
  }
}
