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

/** The pods of all its Jobs that wait for no other: of those that start in order, of the first. */
export function readJobSet({ name, spec }: WorkloadManifest): Workload {
  if (spec?.suspend === true) return nothing;
  if (!Array.isArray(spec?.replicatedJobs)) throw new Error("its spec has no replicatedJobs");
  const isInOrder = spec.startupPolicy?.startupPolicyOrder === "InOrder";
  const jobs: ReplicatedJob[] = spec.replicatedJobs.slice(0, isInOrder ? 1 : undefined);
  const pods = jobs.filter(({ dependsOn }) => !dependsOn?.length).flatMap((job) => {
    const replicas = countIn(job.replicas, { field: "replicas" });
    return numbered(`${name}-${job.name}`, replicas)
      .flatMap((each) =>
        podsOfJob(each, job.template?.spec)
          .map((pod) => ({ ...pod, owner: { kind: "Job", name: each } }))
      );
  });
  return { pods };
}

interface ReplicatedJob {
  readonly name?: string;
  readonly replicas?: unknown;
  readonly dependsOn?: readonly unknown[];
  readonly template?: { readonly spec?: unknown };
}

// deno-lint-ignore no-explicit-any -- as it is written
function podsOfJob(name: string, spec: any): PodPlan[] {
  const template = templateIn(spec?.template, "template in its spec");
  const parallelism = countIn(spec.parallelism, { field: "parallelism" });
  const completions = countIn(spec.completions, { field: "completions", absent: parallelism });
  const pods = alike(name, Math.min(parallelism, completions), template);
  const deadline = spec.activeDeadlineSeconds;
  return deadline === undefined ? pods : pods.map((pod) => ended(pod, deadline));
}

/** A Job's pods end with it. */
function ended(pod: PodPlan, deadline: number): PodPlan {
  const { spec, ...template } = pod.template;
  const own = spec?.["activeDeadlineSeconds"] as number | undefined;
  const activeDeadlineSeconds = Math.min(own ?? Infinity, deadline);
  return { ...pod, template: { ...template, spec: { ...spec, activeDeadlineSeconds } } };
}
