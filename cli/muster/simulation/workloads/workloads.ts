/**
 * The kinds that controllers make pods of, as far as they are read.
 *
 * @module
 */
import { readJob, readJobSet } from "./job.ts";
import { readKubeflowJob } from "./kubeflow_job.ts";
import { readLeaderWorkerSet } from "./leader_worker_set.ts";
import { readRayCluster } from "./ray_cluster.ts";
import type { WorkloadReader } from "./workload.ts";

interface WorkloadKind {
  /** The API group. */
  readonly group: string;
  readonly kind: string;
  readonly read: WorkloadReader;
}

const kinds: readonly WorkloadKind[] = [
  { group: "batch", kind: "Job", read: readJob },
  { group: "jobset.x-k8s.io", kind: "JobSet", read: readJobSet },
  { group: "kubeflow.org", kind: "TFJob", read: readKubeflowJob },
  { group: "kubeflow.org", kind: "PyTorchJob", read: readKubeflowJob },
  { group: "kubeflow.org", kind: "MPIJob", read: readKubeflowJob },
  { group: "leaderworkerset.x-k8s.io", kind: "LeaderWorkerSet", read: readLeaderWorkerSet },
  { group: "ray.io", kind: "RayCluster", read: readRayCluster },
];

/** Reads a kind of any version; undefined: it is not read. A manifest that names no API group means this one. */
export function workloadReader(apiVersion: string, kind: string): WorkloadReader | undefined {
  const isOf = (group: string) => apiVersion === "" || apiVersion.startsWith(`${group}/`);
  return kinds.find((known) => known.kind === kind && isOf(known.group))?.read;
}

/** Their names, for messages. */
export const workloadKinds: readonly string[] = kinds.map(({ kind }) => kind);
