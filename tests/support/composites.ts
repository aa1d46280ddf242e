/**
 * Trees of native PodGroups, as the API server would show them.
 *
 * @module
 */
import type { Hierarchy } from "../../shared/kubernetes/declaring/composite_pod_group.ts";
import { PodGroups } from "../../shared/cluster/pod_groups.ts";
import { nativePodGroup, type PodGroup } from "../../shared/kubernetes/declaring/pod_group.ts";
import { at } from "./facts.ts";

/** What matters of a PodGroup or a CompositePodGroup. */
export interface Node {
  readonly parent?: string;
  /** Of a CompositePodGroup: groups that it needs; 0: policy `basic`. */
  readonly needs?: unknown;
  /** The label of its topology. */
  readonly topology?: string;
  readonly disruption?: "single" | "all";
}

/** `default/<name>`. */
export function groupOf(name: string, { parent, needs, topology, disruption }: Node): PodGroup {
  const basic = { basic: {} };
  const gang = needs === undefined ? { minCount: 1 } : { minGroupCount: needs };
  return {
    apiVersion: "scheduling.k8s.io/v1alpha3",
    metadata: { namespace: "default", name, uid: `uid-${name}`, creationTimestamp: at(-600) },
    spec: {
      schedulingPolicy: needs === 0 ? basic : { gang },
      ...(parent && { parentCompositePodGroupName: parent }),
      ...(topology !== undefined && { schedulingConstraints: { topology: [{ key: topology }] } }),
      disruptionMode: { [disruption ?? "single"]: {} },
    },
  };
}

/** Trees, by the names of their PodGroups and CompositePodGroups. */
export type Trees = Readonly<Record<string, Node>>;

/** Those of namespace `default`. */
export function hierarchyOf(trees: Trees): Hierarchy {
  const known = new PodGroups();
  for (const [name, node] of Object.entries(trees)) {
    const group = groupOf(name, node);
    if (node.needs === undefined) known.changed(nativePodGroup, group);
    else known.compositeChanged(group);
  }
  return known.hierarchyOf("default");
}
