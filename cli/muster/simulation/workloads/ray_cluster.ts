/**
 * A cluster of KubeRay, with a gang as its `--batch-scheduler=scheduler-plugins` makes it.
 *
 * @module
 */
import { requestsOf } from "../../../../shared/kubernetes/counting/requests.ts";
import {
  alike,
  nothing,
  podGroupLabel,
  type PodPlan,
  type Template,
  type Workload,
  type WorkloadManifest,
} from "./workload.ts";

interface WorkerGroupSpec {
  readonly groupName: string;
  readonly suspend?: boolean;
  readonly replicas?: number;
  readonly minReplicas?: number;
  readonly maxReplicas?: number;
  readonly numOfHosts?: number;
  readonly template: Template;
}

interface WorkerGroup {
  readonly pods: readonly PodPlan[];
  /** As they are written. */
  readonly replicas: number;
  readonly isSuspended: boolean;
  readonly hosts: number;
  readonly template: Template;
}

/** Its head and its workers; they are a gang where the label asks for it. */
export function readRayCluster({ name, labels, spec }: WorkloadManifest): Workload {
  if (spec.suspend === true) return nothing;
  const head: Template = spec.headGroupSpec.template;
  const specs: WorkerGroupSpec[] = spec.workerGroupSpecs ?? [];
  const groups = specs.map((group) => workersOf(name, group));
  const pods = [{ name: `${name}-head`, template: head }, ...groups.flatMap(({ pods }) => pods)];
  if (labels["ray.io/gang-scheduling-enabled"] === undefined) return { pods };
  const asking = groups.filter(({ isSuspended }) => !isSuspended)
    .map(({ template, replicas, hosts }) => ({ template, count: replicas * hosts }));
  return {
    pods: pods.map((pod) => ({ ...pod, labels: { [podGroupLabel]: name } })),
    // By the replicas as they are written, whatever bounds there are.
    podGroup: {
      // A replica of several hosts counts once, and that of a suspended group too: minResources make up for the hosts.
      minMember: 1 + groups.reduce((sum, { replicas }) => sum + replicas, 0),
      minResources: resourcesOf([{ template: head, count: 1 }, ...asking]),
    },
  };
}

/** So many as its bounds allow, and none while it is suspended. */
function workersOf(
  cluster: string,
  {
    groupName,
    suspend: isSuspended = false,
    replicas = 0,
    minReplicas = 0,
    maxReplicas = Infinity,
    numOfHosts: hosts = 1,
    template,
  }: WorkerGroupSpec,
): WorkerGroup {
  const count = isSuspended ? 0 : Math.min(maxReplicas, Math.max(minReplicas, replicas)) * hosts;
  const pods = alike(`${cluster}-${groupName}-worker`, count, template);
  return { pods, replicas, isSuspended, hosts, template };
}

/** What all of them ask for, as quantities. */
function resourcesOf(
  pods: readonly { template: Template; count: number }[],
): Record<string, string> {
  const total = new Map<string, number>();
  for (const { template, count } of pods) {
    for (const [name, amount] of requestsOf(template)) {
      total.set(name, (total.get(name) ?? 0) + amount * count);
    }
  }
  total.delete("pods");
  return Object.fromEntries(
    [...total].map(([name, amount]) => [name, name === "cpu" ? `${amount}m` : String(amount)]),
  );
}
