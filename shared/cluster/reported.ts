/**
 * What the statuses of PodGroups, and of what they are in, are made from, as a cluster shows it.
 *
 * @module
 */
import type { Verdict } from "../core/attend/attended.ts";
import { gangId } from "../core/gang/facts.ts";
import {
  compositePodGroups,
  type GroupingKind,
} from "../kubernetes/declaring/composite_pod_group.ts";
import { podGroupKinds } from "../kubernetes/declaring/pod_group.ts";
import type { Cluster } from "./cluster.ts";
import { compositeOutlook } from "./composite_outlook.ts";
import type { KnownStatus, Reported } from "./reported_status.ts";

/** Where it is found. */
export interface ReportedIn {
  readonly cluster: Cluster;
  readonly schedulerNames: readonly string[];
  /** The verdict that `filter` answers with, by `namespace/name` of a gang. */
  readonly verdictOf: (gang: string) => Verdict | undefined;
}

/** What is so now. */
export function reportedOf(
  { kind, podGroup }: KnownStatus,
  { cluster, schedulerNames, verdictOf }: ReportedIn,
): Reported {
  const { gangs, podGroups } = cluster;
  if (kind === compositePodGroups) {
    const hierarchy = podGroups.hierarchyOf(podGroup.metadata.namespace);
    const gangOf = (gang: string) => gangs.get(gang);
    return { outlook: compositeOutlook(podGroup, { hierarchy, gangOf, verdictOf }) };
  }
  const id = gangId(podGroup.metadata);
  return { gang: gangs.get(id), verdict: verdictOf(id), schedulerNames };
}

/** The names of whatever tells something of a gang in its status, whether it is there or not. */
export function statusNames(gang: string, { podGroups }: Cluster): string[] {
  return [
    ...podGroupKinds.map((kind) => statusName(kind, gang)),
    ...podGroups.compositesOf(gang).map((id) => statusName(compositePodGroups, id)),
  ];
}

/** The name of one of them, by its `namespace/name`: no other has the same. */
export function statusName({ plural, group }: GroupingKind, id: string): string {
  return `${plural}.${group} ${id}`;
}
