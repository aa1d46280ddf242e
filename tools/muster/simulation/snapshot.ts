/**
 * A cluster as it is now.
 *
 * @module
 */
import { type KubeApi, KubeError } from "../../../relay/kube_api.ts";
import { type PodGroup, podGroupKinds } from "../../../shared/kubernetes/pod_group.ts";
import type { Node, Pod } from "../../../shared/kubernetes/types.ts";
import { noObjects, type Objects } from "./manifests.ts";

interface PriorityClass {
  readonly metadata: { readonly name: string };
  readonly value: number;
  readonly globalDefault?: boolean;
}

/** Reads nodes, pods, PodGroups of every kind that is served, and PriorityClasses. */
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
  for (const kind of podGroupKinds) {
    for (const version of kind.versions) {
      const apiVersion = `${kind.group}/${version}`;
      const found = await listIfServed<PodGroup>(api, `/apis/${apiVersion}/podgroups`);
      if (!found) continue;
      objects.podGroups.push(...found.map((item) => ({ kind, podGroup: { ...item, apiVersion } })));
      break;
    }
  }
  return objects;
}

async function listIfServed<T>(api: KubeApi, path: string): Promise<T[] | undefined> {
  try {
    return (await api.list<T>(path)).items;
  } catch (error) {
    if (error instanceof KubeError && error.code === 404) return undefined;
    throw error;
  }
}
