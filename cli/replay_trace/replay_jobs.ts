/**
 * Months of jobs, one event after another.
 *
 * @module
 */
import type { Placer, Start } from "./placer.ts";
import type { Job, TraceNode } from "./trace_files.ts";

/** A job that ran. */
export interface Ran extends Start {
  /** In ms since the trace began. */
  readonly startedAt: number;
}

/** What became of the jobs of a trace. */
export interface Replayed {
  readonly ran: readonly Ran[];
  /** Jobs that are larger than a cluster without jobs has room for; they are left out. */
  readonly tooLarge: number;
  /** Jobs that never start, however long it goes on. */
  readonly stuck: number;
  /** GPUs that run nothing while a job waits, mean over the time in which one does. */
  readonly idle: number;
  /** Those of them that are held by jobs that are not whole. */
  readonly held: number;
}

/** Where, by whom, and who is told how far it is. */
export interface Replaying {
  readonly nodes: readonly TraceNode[];
  readonly placer: Placer;
  /** So many have started, of so many. */
  readonly onProgress?: (started: number, of: number) => void;
}

/** Replays jobs on nodes. */
export function replayJobs(jobs: readonly Job[], replaying: Replaying): Replayed {
  const events = eventsOf(jobs, replaying);
  let event = events.next();
  while (!event.done) event = events.next(replaying.placer.place(event.value));
  return event.value;
}

/** The same, where whoever finds nodes asks others. */
export async function replayJobsWith(
  place: (now: number) => Promise<readonly Start[]>,
  { jobs, ...replaying }: Replaying & { jobs: readonly Job[] },
): Promise<Replayed> {
  const events = eventsOf(jobs, replaying);
  let event = events.next();
  while (!event.done) event = events.next(await place(event.value));
  return event.value;
}

/** So long after all else has ended a job may still wait for the clock; in ms. A month has 31 days. */
const patience = 32 * 86_400_000;

/** Yields the times, in ms, at which jobs may start, and goes on with those that do. */
function* eventsOf(
  jobs: readonly Job[],
  { nodes, placer, onProgress }: Replaying,
): Generator<number, Replayed, readonly Start[]> {
  const fitting = jobs.filter((job) => fits(job, nodes));
  const coming = fitting.toSorted((a, b) => b.submittedAt - a.submittedAt);
  const running: { job: Job; until: number }[] = [];
  const ran: Ran[] = [];
  let free = nodes.reduce((sum, { gpus }) => sum + gpus, 0);
  let waiting = 0;
  let [waited, idle, held] = [0, 0, 0];
  let now = 0;
  let lastAt = 0;
  for (;;) {
    const known = Math.min(
      coming.at(-1)?.submittedAt ?? Infinity,
      running.at(-1)?.until ?? Infinity,
    );
    const next = Math.min(known, placer.wakesAt ?? Infinity);
    if (known < Infinity) lastAt = known;
    else if (next > lastAt + patience) break;
    if (waiting > 0) {
      waited += next - now;
      idle += free * (next - now);
      held += placer.held * (next - now);
    }
    now = next;
    while (running.at(-1)?.until === now) {
      const { job } = running.pop()!;
      placer.ended(job);
      free += job.members * job.gpus;
    }
    while (coming.at(-1)?.submittedAt === now) {
      placer.came(coming.pop()!);
      waiting++;
    }
    for (const start of yield now) {
      const { job } = start;
      ran.push({ ...start, startedAt: now });
      waiting--;
      free -= job.members * job.gpus;
      insert(running, { job, until: now + job.duration });
    }
    onProgress?.(ran.length, fitting.length);
  }
  return {
    ran,
    tooLarge: jobs.length - fitting.length,
    stuck: waiting,
    idle: idle / (waited || 1),
    held: held / (waited || 1),
  };
}

function fits({ members, gpus }: Job, nodes: readonly TraceNode[]): boolean {
  return nodes.reduce((sum, node) => sum + Math.floor(node.gpus / gpus), 0) >= members;
}

/** The one that ends first stays last. */
function insert<T extends { until: number }>(running: T[], item: T): void {
  const at = running.findLastIndex(({ until }) => until >= item.until);
  running.splice(at + 1, 0, item);
}
