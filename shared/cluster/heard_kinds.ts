/**
 * Kinds that not every API server serves, and who hears of their objects.
 *
 * @module
 */
import {
  compositePodGroups,
  type GroupingKind,
} from "../kubernetes/declaring/composite_pod_group.ts";
import { type DeviceClass, deviceClasses } from "../kubernetes/counting/device_class.ts";
import {
  type DisruptionBudget,
  disruptionBudgets,
} from "../kubernetes/counting/disruption_budget.ts";
import { type Job, jobs } from "../kubernetes/declaring/job.ts";
import { type PodGroup, podGroupKinds } from "../kubernetes/declaring/pod_group.ts";
import type { Cluster } from "./cluster.ts";

/** Who hears of PodGroups, and of what they are in. */
export interface PodGroupListener {
  podGroupChanged(kind: GroupingKind, podGroup: PodGroup): void;
  podGroupDeleted(kind: GroupingKind, podGroup: PodGroup): void;
}

/** What a cluster hears of, its PodGroups together with others; optional: what is known without it is not wrong. */
export function kindsHeardBy(cluster: Cluster, others: readonly PodGroupListener[]) {
  const composites: PodGroupListener = {
    podGroupChanged: (_, composite) => cluster.compositeChanged(composite),
    podGroupDeleted: (_, composite) => cluster.compositeDeleted(composite),
  };
  return [
    ...podGroupKinds.map((kind) => podGroupsOf(kind, [cluster, ...others])),
    podGroupsOf(compositePodGroups, [composites, ...others]),
    {
      ...deviceClasses,
      changed: (deviceClass: DeviceClass) => cluster.room.deviceClassChanged(deviceClass),
      deleted: (deviceClass: DeviceClass) => cluster.room.deviceClassDeleted(deviceClass),
      isOptional: true,
    },
    {
      ...disruptionBudgets,
      changed: (budget: DisruptionBudget) => cluster.budgetChanged(budget),
      deleted: (budget: DisruptionBudget) => cluster.budgetDeleted(budget),
      isOptional: true,
    },
    {
      ...jobs,
      changed: (job: Job) => cluster.jobChanged(job),
      deleted: (job: Job) => cluster.jobDeleted(job),
      isOptional: true,
    },
  ];
}

function podGroupsOf<Of extends GroupingKind>(
  kind: Of,
  listeners: readonly {
    podGroupChanged(kind: Of, podGroup: PodGroup): void;
    podGroupDeleted(kind: Of, podGroup: PodGroup): void;
  }[],
) {
  return {
    ...kind,
    changed: (podGroup: PodGroup) => {
      for (const listener of listeners) listener.podGroupChanged(kind, podGroup);
    },
    deleted: (podGroup: PodGroup) => {
      for (const listener of listeners) listener.podGroupDeleted(kind, podGroup);
    },
  };
}
