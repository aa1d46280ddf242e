/**
 * A Job of Kubernetes, and a JobSet of them.
 *
 * @module
 */
import {
  alike,
  countIn,
  nothing,
  numbered,
  type PodPlan,
  templateIn,
  type Workload,
  type WorkloadManifest,
} from "./workload.ts";

/** The pods of a Job that run at once. */
export function readJob({ name, spec }: WorkloadManifest): Workload {
  return spec?.suspend === true ? nothing : { pods: podsOfJob(name, spec) };
}

/** The pods of all its Jobs, whichever of them its startupPolicy lets start first. */
export function readJobSet({ name, spec }: WorkloadManifest): Workload {
  if (spec?.suspend === true) return nothing;
  if (!Array.isArray(spec?.replicatedJobs)) throw new Error("its spec has no replicatedJobs");
  const pods = spec.replicatedJobs.flatMap((job: ReplicatedJob) => {
    const replicas = countIn(job.replicas, { field: "replicas" });
    return numbered(`${name}-${job.name}`, replicas)
      .flatMap((each) => podsOfJob(each, job.template?.spec));
  });
  return { pods };
}

interface ReplicatedJob {
  readonly name?: string;
  readonly replicas?: unknown;
  readonly template?: { readonly spec?: unknown };
}

// deno-lint-ignore no-explicit-any -- as it is written
function podsOfJob(name: string, spec: any): PodPlan[] {
  const template = templateIn(spec?.template, "template in its spec");
  const parallelism = countIn(spec.parallelism, { field: "parallelism" });
  const completions = countIn(spec.completions, { field: "completions", absent: parallelism });
  return alike(name, Math.min(parallelism, completions), template);
}
