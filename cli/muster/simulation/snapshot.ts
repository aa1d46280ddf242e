/**
 * A cluster as it is now.
 *
 * @module
 */
import { discover, type Kind } from "../../../shared/client/discovery.ts";
import { type KubeApi, KubeError } from "../../../shared/client/kube_api.ts";
import {
  type DeviceClass,
  deviceClasses as deviceClassKind,
} from "../../../shared/kubernetes/counting/device_class.ts";
import { type Job, jobs as jobKind } from "../../../shared/kubernetes/declaring/job.ts";
import {
  type CompositePodGroup,
  compositePodGroups,
} from "../../../shared/kubernetes/declaring/composite_pod_group.ts";
import { type PodGroup, podGroupKinds } from "../../../shared/kubernetes/declaring/pod_group.ts";
import type { Node, Pod } from "../../../shared/kubernetes/types.ts";
import { noObjects, type Objects } from "./manifests.ts";

interface PriorityClass {
  readonly metadata: { readonly name: string };
  readonly value: number;
  readonly globalDefault?: boolean;
}

/** Reads nodes, pods, Jobs, PodGroups of every kind that is served and what they are in, DeviceClasses where they are, and PriorityClasses. */
export async function snapshot(api: KubeApi): Promise<Objects> {
  const objects = noObjects();
  const [nodes, pods, classes] = await Promise.all([
    api.list<Node>("/api/v1/nodes"),
    api.list<Pod>("/api/v1/pods"),
    api.list<PriorityClass>("/apis/scheduling.k8s.io/v1/priorityclasses"),
  ]);
  objects.nodes.push(...nodes.items);
  objects.pods.push(...pods.items);
  for (const { metadata, value, globalDefault } of classes.items) {
    objects.priorities.set(metadata.name, value);
    if (globalDefault) objects.priorities.set("", value);
  }
  const servedOf = await discover(api);
  const listed = async <T extends object>(kind: Kind): Promise<T[]> => {
    const served = await servedOf(kind);
    if (!served) return [];
    const { items } = await api.list<T>(served.path);
    return items.map((item) => ({ ...item, apiVersion: served.apiVersion }));
  };
  objects.deviceClasses.push(...await orNone(listed<DeviceClass>(deviceClassKind)));
  objects.jobs.push(...await orNone(listed<Job>(jobKind)));
  for (const kind of podGroupKinds) {
    const found = await listed<PodGroup>(kind);
    objects.podGroups.push(...found.map((podGroup) => ({ kind, podGroup })));
  }
  objects.composites.push(...await listed<CompositePodGroup>(compositePodGroups));
  return objects;
}

/** Who may not read them lacks only what they say. */
async function orNone<T>(objects: Promise<T[]>): Promise<T[]> {
  try {
    return await objects;
  } catch (error) {
    if (error instanceof KubeError && error.code === 403) return [];
    throw error;
  }
}
