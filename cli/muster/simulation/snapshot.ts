/**
 * A cluster as it is now.
 *
 * @module
 */
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

/** A kind of which there is one version. */
type Listed = typeof deviceClassKind | typeof jobKind;

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
  // Who may not read them lacks only what they say.
  const listed = <T>({ group, plural, versions: [version] }: Listed) =>
    listUnless<T>([403, 404], { api, path: `/apis/${group}/${version}/${plural}` });
  objects.deviceClasses.push(...await listed<DeviceClass>(deviceClassKind) ?? []);
  objects.jobs.push(...await listed<Job>(jobKind) ?? []);
  for (const kind of podGroupKinds) {
    const found = await listServed<PodGroup>(api, { ...kind, plural: "podgroups" });
    objects.podGroups.push(...found.map((podGroup) => ({ kind, podGroup })));
  }
  objects.composites.push(...await listServed<CompositePodGroup>(api, compositePodGroups));
  return objects;
}

/** All objects of a kind, in the best version that is served. */
async function listServed<T extends object>(
  api: KubeApi,
  { group, versions, plural }: { group: string; versions: readonly string[]; plural: string },
): Promise<T[]> {
  for (const version of versions) {
    const apiVersion = `${group}/${version}`;
    const found = await listUnless<T>([404], { api, path: `/apis/${apiVersion}/${plural}` });
    if (found) return found.map((item) => ({ ...item, apiVersion }));
  }
  return [];
}

async function listUnless<T>(
  codes: readonly number[],
  { api, path }: { api: KubeApi; path: string },
): Promise<T[] | undefined> {
  try {
    return (await api.list<T>(path)).items;
  } catch (error) {
    if (error instanceof KubeError && codes.includes(error.code)) return undefined;
    throw error;
  }
}
