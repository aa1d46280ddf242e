/**
 * The jobs of Kubeflow's operators, with a gang as their flags for a scheduler of gangs make it.
 *
 * @module
 */
import {
  alike,
  countIn,
  nothing,
  podGroupLabel,
  type PodPlan,
  type Template,
  templateIn,
  type Workload,
  type WorkloadManifest,
} from "./workload.ts";

interface ReplicaSpec {
  readonly replicas?: unknown;
  readonly template?: Template;
}

/** TFJob, PyTorchJob, MPIJob and the like: all replicas are one gang, or `minAvailable` of them; a launcher that comes last counts. */
export function readKubeflowJob({ name, spec }: WorkloadManifest): Workload {
  if (spec?.runPolicy?.suspend === true) return nothing;
  const field = Object.keys(spec ?? {}).find((field) => /ReplicaSpecs$/.test(field));
  if (field === undefined) throw new Error("its spec has no replica specs");
  const replicas = Object.entries(spec[field] as Record<string, ReplicaSpec>);
  const pods = replicas.map(([type, replica]) =>
    podsOf(`${name}-${type.toLowerCase()}`, replica)
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

function podsOf(name: string, { replicas, template }: ReplicaSpec): PodPlan[] {
  const found = templateIn(template, `template for ${name}`);
  return alike(name, countIn(replicas, { field: "replicas" }), found);
}
