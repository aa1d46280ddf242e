/**
 * The kinds that controllers make pods of, as far as they are read.
 *
 * @module
 */
import type * as v from "../../../../shared/contract/valibot.ts";
import {
  jobManifest,
  jobSetManifest,
  kubeflowManifest,
  leaderWorkerSetManifest,
  rayClusterManifest,
} from "../manifest_schema.ts";
import { readJob, readJobSet } from "./job.ts";
import { readKubeflowJob } from "./kubeflow_job.ts";
import { readLeaderWorkerSet } from "./leader_worker_set.ts";
import { readRayCluster } from "./ray_cluster.ts";
import type { WorkloadReader } from "./workload.ts";

/** A kind that a controller makes pods of. */
export interface WorkloadKind {
  /** The API group. */
  readonly group: string;
  readonly kind: string;
  /** Of manifests that can be read. */
  readonly schema: v.GenericSchema;
  readonly read: WorkloadReader;
}

const kubeflow = { group: "kubeflow.org", read: readKubeflowJob };
const kinds: readonly WorkloadKind[] = [
  { group: "batch", kind: "Job", schema: jobManifest, read: readJob },
  { group: "jobset.x-k8s.io", kind: "JobSet", schema: jobSetManifest, read: readJobSet },
  { ...kubeflow, kind: "TFJob", schema: kubeflowManifest("tfReplicaSpecs") },
  { ...kubeflow, kind: "PyTorchJob", schema: kubeflowManifest("pytorchReplicaSpecs") },
  { ...kubeflow, kind: "MPIJob", schema: kubeflowManifest("mpiReplicaSpecs") },
  {
    group: "leaderworkerset.x-k8s.io",
    kind: "LeaderWorkerSet",
    schema: leaderWorkerSetManifest,
    read: readLeaderWorkerSet,
  },
  { group: "ray.io", kind: "RayCluster", schema: rayClusterManifest, read: readRayCluster },
];

/** A kind of any version; undefined: it is not read. A manifest that names no API group means this one. */
export function workloadKind(apiVersion: string, kind: string): WorkloadKind | undefined {
  const isOf = (group: string) => apiVersion === "" || apiVersion.startsWith(`${group}/`);
  return kinds.find((known) => known.kind === kind && isOf(known.group));
}

/** Their names, for messages. */
export const workloadKinds: readonly string[] = kinds.map(({ kind }) => kind);
