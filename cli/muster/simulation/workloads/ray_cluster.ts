/**
 * A cluster of KubeRay, with a gang as its `--batch-scheduler=scheduler-plugins` makes it.
 *
 * @module
 */
import { requestsOf } from "../../../../shared/kubernetes/counting/requests.ts";
import type { Pod } from "../../../../shared/kubernetes/types.ts";
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

interface WorkerGroup {
  readonly groupName?: string;
  readonly replicas?: unknown;
  readonly numOfHosts?: unknown;
  readonly template?: Template;
}

/** Its head and its workers; they are a gang where the label asks for it. */
export function readRayCluster({ name, labels, spec }: WorkloadManifest): Workload {
  if (spec?.suspend === true) return nothing;
  const groups: WorkerGroup[] = spec?.workerGroupSpecs ?? [];
  const head = templateIn(spec?.headGroupSpec?.template, "template for its head");
  const pods = [{ name: `${name}-head`, template: head }, ...groups.flatMap(workersOf(name))];
  if (labels["ray.io/gang-scheduling-enabled"] === undefined) return { pods };
  const replicas = groups.map((group) => countIn(group.replicas, { field: "replicas" }));
  return {
    pods: pods.map((pod) => ({ ...pod, labels: { [podGroupLabel]: name } })),
    podGroup: {
      // A replica of several hosts counts once: its minResources make up for that.
      minMember: 1 + replicas.reduce((sum, count) => sum + count, 0),
      minResources: resourcesOf(pods),
    },
  };
}

function workersOf(cluster: string): (group: WorkerGroup) => PodPlan[] {
  return ({ groupName, replicas, numOfHosts, template }) => {
    const count = countIn(replicas, { field: "replicas" }) *
      countIn(numOfHosts, { field: "numOfHosts" });
    const found = templateIn(template, `template for its workers "${groupName ?? ""}"`);
    return alike(`${cluster}-${groupName}-worker`, count, found);
  };
}

/** What all of them ask for, as quantities. */
function resourcesOf(pods: readonly PodPlan[]): Record<string, string> {
  const total = new Map<string, number>();
  for (const { template } of pods) {
    for (const [name, amount] of requestsOf(template as Pick<Pod, "spec">)) {
      total.set(name, (total.get(name) ?? 0) + amount);
    }
  }
  total.delete("pods");
  return Object.fromEntries(
    [...total].map(([name, amount]) => [name, name === "cpu" ? `${amount}m` : String(amount)]),
  );
}
