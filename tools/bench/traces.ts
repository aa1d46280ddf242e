/**
 * How gangs of a real trace are placed by the pure plan, beside a scheduler that knows no gangs; without a control plane.
 *
 * @module
 */
import { basename } from "node:path";
import { table } from "./report.ts";
import type { Placer } from "../../cli/replay_trace/placer.ts";
import { Planning } from "../../cli/replay_trace/planning.ts";
import { type Replayed, replayJobs } from "../../cli/replay_trace/replay_jobs.ts";
import { runTimesBy } from "../../cli/replay_trace/run_times.ts";
import {
  readJobs,
  readNodes,
  type TextFile,
  type TraceNode,
} from "../../cli/replay_trace/trace_files.ts";
import { backfillOf } from "../../shared/core/gang/backfill.ts";
import { Spreading } from "./traces/spreading.ts";

/** Which jobs, and where. */
export interface TraceOptions {
  /** CSV files. */
  jobs: string;
  nodes: string;
  /** So many GPUs of the nodes are used; Infinity: all. */
  gpus: number;
}

/** What one scheduler makes of the jobs. */
export interface TraceRow extends Omit<Replayed, "ran"> {
  what: string;
  scheduler: string;
  started: number;
  /** Of jobs of several members, means. */
  nodesPerGang: number;
  racksPerGang: number;
  /** From a job's coming to its start, mean, in ms. */
  wait: number;
}

const placers: Record<string, (nodes: readonly TraceNode[]) => Placer> = {
  "pod by pod": (nodes) => new Spreading(nodes),
  "the plan": (nodes) =>
    new Planning(nodes, {
      backfill: backfillOf("timed")!,
      settings: { matchPolicy: "once-satisfied" },
      runTimes: runTimesBy("none")!,
    }),
};

/** So many nodes in turn are a rack. */
const perRack = 16;

/** Of a member; a job of more has several. */
const gpusEach = [1, 8];
const hour = 3_600_000;

/** Replays the jobs, as members of one GPU and of up to eight, by each scheduler. */
export async function runTraces(options: TraceOptions): Promise<TraceRow[]> {
  const read = async (path: string) => ({ path, text: await Deno.readTextFile(path) });
  const files = { jobs: await read(options.jobs), nodes: await read(options.nodes) };
  return rowsOf(files, { ...options, name: basename(options.jobs) });
}

/** {@linkcode runTraces} on files that have been read. */
export function rowsOf(
  files: { jobs: TextFile; nodes: TextFile },
  { gpus, name }: { gpus: number; name: string },
): TraceRow[] {
  const nodes = readNodes(files.nodes, { gpus }).map((node, index) => ({
    ...node,
    rack: `rack-${Math.floor(index / perRack)}`,
  }));
  const all = nodes.reduce((sum, node) => sum + node.gpus, 0);
  return gpusEach.flatMap((each) => {
    const jobs = readJobs(files.jobs, { gpusEach: each });
    const what = `${name}, ${all} GPUs, members of ${each === 1 ? "1" : `up to ${each}`}`;
    return Object.entries(placers).map(([scheduler, placerOn]) => {
      const { ran, ...replayed } = replayJobs(jobs, { nodes, placer: placerOn(nodes) });
      const gangs = ran.filter(({ job }) => job.members > 1);
      return {
        what,
        scheduler,
        ...replayed,
        started: ran.length,
        nodesPerGang: meanOf(gangs, ({ nodes }) => new Set(nodes).size),
        racksPerGang: meanOf(gangs, ({ nodes }) => new Set(nodes.map(({ rack }) => rack)).size),
        wait: meanOf(ran, ({ job, startedAt }) => startedAt - job.submittedAt),
      };
    });
  });
}

function meanOf<T>(items: readonly T[], value: (item: T) => number): number {
  return items.reduce((sum, item) => sum + value(item), 0) / (items.length || 1);
}

/** The outcomes as a markdown table. */
export function traceTable(rows: readonly TraceRow[]): string {
  return table(
    [
      "jobs",
      "placed by",
      "started, stuck",
      "nodes a gang",
      "racks a gang",
      "hours waited",
      "GPUs idle while jobs wait",
      "of them held in vain",
    ],
    rows.map((row) => [
      row.what,
      row.scheduler,
      `${row.started}, ${row.stuck}`,
      row.nodesPerGang.toFixed(2),
      row.racksPerGang.toFixed(2),
      (row.wait / hour).toFixed(1),
      row.idle.toFixed(1),
      row.held.toFixed(1),
    ]),
  );
}
