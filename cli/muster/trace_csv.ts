/**
 * A cluster's own past as files of a trace, which `deno task replay-trace` reads.
 *
 * @module
 */
import type { GangSummary, Run } from "../../shared/contract/types.ts";
import { allocatableOf } from "../../shared/kubernetes/counting/requests.ts";
import type { Node } from "../../shared/kubernetes/types.ts";

/** A gang as a trace has it. */
interface TraceJob {
  readonly namespace: string;
  readonly id: string;
  /** Of the resource that is traced. */
  readonly amount: number;
  /** In ms since the epoch. */
  readonly submittedAt: number;
  /** In ms. */
  readonly duration: number;
  readonly priority: number;
}

/** What a trace is made of. */
export interface Past {
  readonly runs: readonly Run[];
  /** What runs now, and what waits. */
  readonly gangs: readonly (GangSummary & { readonly priority?: number | undefined })[];
  /** `nvidia.com/gpu`. */
  readonly resource: string;
  /** In ms since the epoch. */
  readonly now: number;
}

/** The file of jobs, and what is left out of it. */
export interface JobsFile {
  readonly csv: string;
  readonly jobs: number;
  /** Gangs that do not ask for the resource. */
  readonly without: number;
  /** Gangs that wait and of which nobody knows how long they run. */
  readonly unknown: number;
}

/** Every gang that ran, runs or waits, the first that was created first; times are in ms from that on. */
export function jobsFile({ runs, gangs, resource, now }: Past): JobsFile {
  const current = gangs.filter(({ endedAt, phase }) => endedAt === undefined && isAlive(phase));
  const timed = current.filter(({ startedAt, runTime }) => startedAt !== undefined || runTime);
  const all = [...runs.map(ranJob), ...timed.map(currentJob)];
  const jobs = all.filter(({ amount }) => amount > 0)
    .sort((a, b) => a.submittedAt - b.submittedAt);
  const first = jobs[0]?.submittedAt ?? 0;
  const lines = jobs.map(({ id, amount, submittedAt, duration, priority, namespace }) =>
    [id, amount, submittedAt - first, Math.max(1, duration), priority, namespace].join(",")
  );
  return {
    csv: fileOf("job_id,num_gpu,submit_time,duration,priority,namespace", lines),
    jobs: jobs.length,
    without: all.length - jobs.length,
    unknown: current.length - timed.length,
  };

  function ranJob(run: Run, index: number): TraceJob {
    return {
      namespace: run.namespace,
      id: `${run.namespace}/${run.name}/${runs.length - index}`,
      amount: amountOf(run.requests),
      submittedAt: Date.parse(run.createdAt),
      duration: Date.parse(run.endedAt) - Date.parse(run.startedAt),
      priority: run.priority,
    };
  }

  /** One that runs is taken to end when that is expected, or now. */
  function currentJob(gang: Past["gangs"][number]): TraceJob {
    const { namespace, name, runTime, startedAt, createdAt = startedAt, priority = 0 } = gang;
    const ran = startedAt === undefined ? 0 : now - Date.parse(startedAt);
    return {
      namespace,
      id: `${namespace}/${name}/0`,
      amount: amountOf(gang.requests ?? {}),
      submittedAt: Date.parse(createdAt ?? "") || now,
      duration: Math.max(ran, 1000 * (runTime?.seconds ?? 0)),
      priority,
    };
  }

  function amountOf(requests: Readonly<Record<string, number>>): number {
    return Math.ceil((requests[resource] ?? 0) / unitOf(resource));
  }
}

/** The file of nodes; `gpu` is what they have of the resource. */
export function nodesFile(nodes: readonly Node[], resource: string): string {
  const lines = nodes.map((node) => {
    const amounts = allocatableOf(node);
    const { name, labels = {} } = node.metadata;
    return [
      name,
      amounts.get("cpu") ?? 0,
      Math.floor((amounts.get("memory") ?? 0) / 2 ** 20),
      Math.floor((amounts.get(resource) ?? 0) / unitOf(resource)),
      labels["nvidia.com/gpu.product"] ?? "",
    ].join(",");
  });
  return fileOf("sn,cpu_milli,memory_mib,gpu,model", lines);
}

function isAlive(phase: GangSummary["phase"]): boolean {
  return phase !== "Finished" && phase !== "Failed";
}

/** What counts as one: a CPU, of which Muster counts thousandths, and a GiB of what is counted in bytes. */
function unitOf(resource: string): number {
  if (resource === "cpu") return 1000;
  return /^(memory|ephemeral-storage|hugepages-.*)$/.test(resource) ? 2 ** 30 : 1;
}

function fileOf(titles: string, lines: readonly string[]): string {
  return `${[titles, ...lines].join("\n")}\n`;
}
