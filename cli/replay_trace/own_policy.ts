/**
 * What a policy of one's own is asked about the jobs of a trace.
 *
 * @module
 */
import { keyProblem, wordOf } from "../../shared/core/attend/own_stage.ts";
import {
  type Census,
  gangId,
  type GangSpec,
  noMembers,
  type PolicyWord,
  type Running,
} from "../../shared/core/gang/facts.ts";
import { limits } from "../../shared/core/gang/limits.ts";
import { Failure } from "../muster/failure.ts";
import type { Deciding } from "../policy/deciding.ts";
import type { AnswerOf } from "../policy/stage_call.ts";
import type { Job } from "./trace_files.ts";

/** The cluster, when it is asked. */
export interface Asked {
  /** Of all nodes. */
  readonly gpus: number;
  readonly running: readonly Job[];
  /** In ms since the trace began. */
  readonly now: number;
}

/** What a GPU is called to a policy. */
const resource = "nvidia.com/gpu";
/** When a trace begins, for a policy: a Monday. */
const beginning = Date.parse("2024-01-01T00:00:00Z");

/** A job as a gang. */
export function gangOf(
  { namespace, name, members, priority, attributes, submittedAt }: Job,
): GangSpec {
  return {
    namespace,
    name,
    minMember: members,
    priority,
    ...(attributes && { attributes }),
    createdAt: timeAt(submittedAt),
  };
}

/** Of a job that has not started: all of its members wait. */
export function waitingCensus({ members }: Job): Census {
  return { ...noMembers, pending: members };
}

/** The keys of a policy's own order. */
export function* ownKeys(
  jobs: readonly Job[],
  asked: Asked,
): Deciding<ReadonlyMap<Job, string>> {
  const units = jobs.map((job) => {
    const gang = gangOf(job);
    const { priority } = job;
    return { id: gangId(gang), gang, priority, queuedAt: gang.createdAt, asks: amountsOf(job) };
  });
  const body = { units, ...clusterFacts(asked) };
  const { keys } = (yield { stage: "queue-sort", body }) as AnswerOf<"queue-sort">;
  const problem = keyProblem(units, keys);
  if (problem !== undefined) throw new Failure(`Cannot use the policy's order: ${problem}`);
  const byId = new Map(keys.map(({ id, key }) => [id, key]));
  return new Map(jobs.map((job, index) => [job, byId.get(units[index]!.id)!]));
}

/** Why the policy lets a job wait that could start; undefined: it does not. */
export function* ownWord(job: Job, asked: Asked): Deciding<PolicyWord | undefined> {
  const gang = gangOf(job);
  const body = {
    relay: { id: "replay-trace", epoch: 1 },
    gangs: [{ gang, census: waitingCensus(job), held: [] }],
    ...clusterFacts(asked),
    asks: { [gangId(gang)]: amountsOf(job) },
  };
  return wordOf((yield { stage: "admit", body }) as AnswerOf<"admit">);
}

function clusterFacts({ gpus, running, now }: Asked) {
  const bound = sumOf(running);
  return {
    at: timeAt(now),
    resources: [{ name: resource, allocatable: gpus, bound, held: 0 }],
    running: runningOf(running),
  };
}

/** Job by job, and beyond what is told so by namespace. */
function runningOf(jobs: readonly Job[]): Running[] {
  const rest = Map.groupBy(jobs.slice(limits.running), ({ namespace }) => namespace);
  return [
    ...jobs.slice(0, limits.running).map((job) => {
      const { namespace, name, attributes } = gangOf(job);
      const pods = job.members;
      return { namespace, name, ...(attributes && { attributes }), pods, requests: amountsOf(job) };
    }),
    ...[...rest].slice(0, limits.members).map(([namespace, jobs]) => ({
      namespace,
      pods: jobs.reduce((sum, { members }) => sum + members, 0),
      requests: { [resource]: sumOf(jobs) },
    })),
  ];
}

function amountsOf(job: Job): Record<string, number> {
  return { [resource]: sumOf([job]) };
}

function sumOf(jobs: readonly Job[]): number {
  return jobs.reduce((sum, { members, gpus }) => sum + members * gpus, 0);
}

function timeAt(ms: number): string {
  return new Date(beginning + ms).toISOString();
}
