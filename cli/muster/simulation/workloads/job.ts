/**
 * A Job of Kubernetes, and a JobSet of them.
 *
 * @module
 */
import {
  alike,
  nothing,
  numbered,
  type PodPlan,
  type Template,
  type Workload,
  type WorkloadManifest,
} from "./workload.ts";

/** The pods of a Job that run at once. */
export function readJob({ name, spec }: WorkloadManifest): Workload {
  return spec.suspend === true ? nothing : { pods: podsOfJob(name, spec) };
}

/** The pods of all its Jobs that wait for no other: of those that start in order, of the first. */
export function readJobSet({ name, spec }: WorkloadManifest): Workload {
  if (spec.suspend === true) return nothing;
  const isInOrder = spec.startupPolicy?.startupPolicyOrder === "InOrder";
  const jobs: ReplicatedJob[] = spec.replicatedJobs.slice(0, isInOrder ? 1 : undefined);
  const pods = jobs.filter(({ dependsOn }) => !dependsOn?.length).flatMap((job) => {
    return numbered(`${name}-${job.name}`, job.replicas ?? 1)
      .flatMap((each) =>
        podsOfJob(each, job.template.spec)
          .map((pod) => ({ ...pod, owner: { kind: "Job", name: each } }))
      );
  });
  return { pods };
}

interface ReplicatedJob {
  readonly name: string;
  readonly replicas?: number;
  readonly dependsOn?: readonly unknown[];
  readonly template: { readonly spec: JobSpec };
}

interface JobSpec {
  readonly parallelism?: number;
  readonly completions?: number;
  readonly activeDeadlineSeconds?: number;
  readonly template: Template;
}

function podsOfJob(name: string, spec: JobSpec): PodPlan[] {
  const { parallelism = 1, completions = parallelism, activeDeadlineSeconds: deadline } = spec;
  const pods = alike(name, Math.min(parallelism, completions), spec.template);
  return deadline === undefined ? pods : pods.map((pod) => ended(pod, deadline));
}

/** A Job's pods end with it. */
function ended(pod: PodPlan, deadline: number): PodPlan {
  const { spec, ...template } = pod.template;
  const activeDeadlineSeconds = Math.min(spec.activeDeadlineSeconds ?? Infinity, deadline);
  return { ...pod, template: { ...template, spec: { ...spec, activeDeadlineSeconds } } };
}
