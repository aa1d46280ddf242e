/**
 * The jobs of Kubeflow's operators, with a gang as their flags for a scheduler of gangs make it.
 *
 * @module
 */
import {
  alike,
  nothing,
  podGroupLabel,
  type Template,
  type Workload,
  type WorkloadManifest,
} from "./workload.ts";

interface ReplicaSpec {
  readonly replicas?: number;
  readonly template: Template;
}

/** TFJob, PyTorchJob, MPIJob and the like: all replicas are one gang, or `minAvailable` of them; a launcher that comes last counts. */
export function readKubeflowJob({ name, spec }: WorkloadManifest): Workload {
  if (spec.runPolicy?.suspend === true) return nothing;
  const field = Object.keys(spec).find((field) => /ReplicaSpecs$/.test(field))!;
  const replicas = Object.entries(spec[field] as Record<string, ReplicaSpec>);
  const pods = replicas.map(([type, replica]) =>
    alike(`${name}-${type.toLowerCase()}`, replica.replicas ?? 1, replica.template)
      .map((pod) => ({ ...pod, labels: { [podGroupLabel]: name } }))
  );
  const { minAvailable = pods.flat().length, minResources, scheduleTimeoutSeconds } =
    spec.runPolicy?.schedulingPolicy ?? {};
  const isLater = (type: string) =>
    type === "Launcher" && spec.launcherCreationPolicy === "WaitForWorkersReady";
  return {
    pods: pods.filter((_, index) => !isLater(replicas[index]![0])).flat(),
    podGroup: { minMember: minAvailable, minResources, scheduleTimeoutSeconds },
  };
}
