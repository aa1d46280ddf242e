/**
 * Manifests as the API server would keep them: what they say of pods, PodGroups, nodes, DeviceClasses and priorities.
 *
 * @module
 */
import { parseAllDocuments } from "yaml";
import type { DeviceClass } from "../../../shared/kubernetes/counting/device_class.ts";
import { defined } from "../../../shared/kubernetes/declaring/declaration.ts";
import type { Job } from "../../../shared/kubernetes/declaring/job.ts";
import {
  type CompositePodGroup,
  compositePodGroups,
} from "../../../shared/kubernetes/declaring/composite_pod_group.ts";
import {
  type PodGroup,
  type PodGroupKind,
  podGroupKinds,
  xPodGroup,
} from "../../../shared/kubernetes/declaring/pod_group.ts";
import type { Node, ObjectMeta, Pod } from "../../../shared/kubernetes/types.ts";
import { Failure } from "../failure.ts";
import {
  anyManifest,
  checkManifest,
  deviceClassManifest,
  nodeManifest,
  podGroupManifest,
  podManifest,
  priorityClassManifest,
} from "./manifest_schema.ts";
import type { Workload } from "./workloads/workload.ts";
import { workloadKind } from "./workloads/workloads.ts";

/** An object of a manifest, before anything is known of it. */
interface Manifest {
  readonly apiVersion?: string;
  readonly kind?: string;
  readonly metadata?: Partial<ObjectMeta> & { readonly generateName?: string };
  // deno-lint-ignore no-explicit-any -- any field of any kind
  readonly [field: string]: any;
}

/** What a simulation is about. */
export interface Objects {
  readonly pods: Pod[];
  readonly podGroups: { kind: PodGroupKind; podGroup: PodGroup }[];
  readonly composites: CompositePodGroup[];
  readonly nodes: Node[];
  readonly deviceClasses: DeviceClass[];
  /** Those that are there, with the pods that they have made: their deadlines count. */
  readonly jobs: Job[];
  /** Values of PriorityClasses, by name; the default one's is also under "". */
  readonly priorities: Map<string, number>;
  /** Kinds that were not read, as `apps/v1 Deployment`, each with how often it was there. */
  readonly ignored: Map<string, number>;
}

/** No objects. */
export function noObjects(): Objects {
  return {
    pods: [],
    podGroups: [],
    composites: [],
    nodes: [],
    deviceClasses: [],
    jobs: [],
    priorities: new Map(),
    ignored: new Map(),
  };
}

/** How manifests are read. */
export interface ManifestOptions {
  /** Of those that name none. */
  readonly namespace: string;
  /** When they are created. */
  readonly now: string;
  /** They are there already, as an API server printed them: since when they say, and whether they are on their way out. */
  readonly exist?: boolean;
}

/** Reads manifests. Errors name the file and what is wrong in it. */
export function readManifests(
  files: readonly { name: string; text: string }[],
  options: ManifestOptions,
): Objects {
  const objects = noObjects();
  const generated = new Map<string, number>();
  for (const { name, text } of files) {
    for (const item of manifestsIn(text, name)) {
      try {
        addManifest(item, { ...options, objects, generated });
      } catch (error) {
        const of = `${item?.kind ?? "object"} "${item?.metadata?.name ?? ""}"`;
        throw new Failure(`Cannot use ${of} in "${name}": ${(error as Error).message}`);
      }
    }
  }
  return objects;
}

function manifestsIn(text: string, name: string): Manifest[] {
  try {
    return parseAllDocuments(text).flatMap((document) => {
      const [error] = document.errors;
      if (error) throw error;
      const manifest = withoutNull(document.toJS()) as Manifest | null | undefined;
      return manifest ? itemsOf(manifest) : [];
    });
  } catch (error) {
    // What follows the first line is a drawing.
    const [why] = (error as Error).message.split(/:?\n/);
    throw new Failure(`Cannot read "${name}" as YAML: ${why}`);
  }
}

/** Of these each value is a text, and none that is null. */
const textFields = ["labels", "annotations", "nodeSelector", "matchLabels"];

/** A field that is null is absent. */
function withoutNull(value: unknown, field = ""): unknown {
  if (typeof value !== "object" || value === null || textFields.includes(field)) return value;
  if (Array.isArray(value)) {
    return value.filter((item) => item !== null).map((item) => withoutNull(item));
  }
  const fields = Object.entries(value).filter(([, value]) => value !== null);
  return Object.fromEntries(fields.map(([field, value]) => [field, withoutNull(value, field)]));
}

function itemsOf(manifest: Manifest): Manifest[] {
  return /List$/.test(manifest.kind ?? "") && Array.isArray(manifest["items"])
    ? manifest["items"].flatMap((item) => itemsOf(item))
    : [manifest];
}

/** What manifests are read into. */
interface Reading extends ManifestOptions {
  readonly objects: Objects;
  /** How often a generateName was there. */
  readonly generated: Map<string, number>;
}

function addManifest(
  manifest: Manifest,
  { objects, generated, namespace, now, exist = false }: Reading,
): void {
  checkManifest(manifest, anyManifest);
  const { kind = "", apiVersion = "" } = manifest;
  const name = nameOf(manifest, generated);
  const metadata = { ...metadataOf(manifest, { now, exist }), name };
  const namespaced = { ...metadata, namespace: manifest.metadata?.namespace ?? namespace };
  switch (kind) {
    case "Pod":
      checkManifest(manifest, podManifest);
      objects.pods.push(
        withStatus(podOf(namespaced, manifest["spec"]), { status: manifest["status"], exist }),
      );
      return;
    case "Node":
      checkManifest(manifest, nodeManifest);
      objects.nodes.push({ ...manifest, metadata: { ...metadata, uid: name } });
      return;
    case "DeviceClass":
      checkManifest(manifest, deviceClassManifest);
      objects.deviceClasses.push({ ...manifest, metadata: { name, uid: name } });
      return;
    case "PriorityClass":
      checkManifest(manifest, priorityClassManifest);
      objects.priorities.set(name, manifest["value"]);
      if (manifest["globalDefault"]) objects.priorities.set("", manifest["value"]);
      return;
  }
  const about = { objects, metadata: namespaced, exist };
  if (addedAsWorkload(manifest, about) || addedAsPodGroup(manifest, about)) return;
  const id = `${apiVersion} ${kind}`.trim() || "object without a kind";
  objects.ignored.set(id, (objects.ignored.get(id) ?? 0) + 1);
}

/** What an object is added to, and as what. */
interface Adding {
  readonly objects: Objects;
  readonly metadata: Metadata;
  readonly exist: boolean;
}

/** Adds the pods that a workload makes, if it is one; of one that exists these are there, as far as it has any. */
function addedAsWorkload(manifest: Manifest, { objects, metadata, exist }: Adding): boolean {
  const { kind = "", apiVersion = "" } = manifest;
  const workload = workloadKind(apiVersion, kind);
  if (!workload) return false;
  checkManifest(manifest, workload.schema);
  if (!exist) {
    const { name, labels = {} } = metadata;
    const made = workload.read({ name, labels, spec: manifest["spec"] });
    addWorkload(made, { objects, kind, metadata });
  } else if (kind === "Job") objects.jobs.push(jobOf(manifest, metadata));
  return true;
}

/** Adds a PodGroup of a kind that is known, or a CompositePodGroup, if it is one. */
function addedAsPodGroup(manifest: Manifest, { objects, metadata }: Adding): boolean {
  const { kind, apiVersion = "" } = manifest;
  const groupKind = podGroupKinds.find(({ group }) => apiVersion.startsWith(`${group}/`));
  if (kind === "PodGroup" && groupKind) {
    objects.podGroups.push({ kind: groupKind, podGroup: podGroupOf(manifest, metadata) });
    return true;
  }
  if (kind !== "CompositePodGroup" || groupKind?.group !== compositePodGroups.group) return false;
  objects.composites.push(podGroupOf(manifest, metadata));
  return true;
}

/** Its own, or one that no other object has: the API server would make one up. */
function nameOf({ metadata = {} }: Manifest, generated: Map<string, number>): string {
  const { name, generateName } = metadata;
  if (name) return name;
  if (!generateName) throw new Error("it has no metadata.name");
  const number = (generated.get(generateName) ?? 0) + 1;
  generated.set(generateName, number);
  return `${generateName}#${number}`;
}

function metadataOf(
  { metadata = {} }: Manifest,
  { now, exist }: { now: string; exist: boolean },
): Partial<ObjectMeta> & { creationTimestamp: string } {
  const { labels, annotations, ownerReferences, creationTimestamp, deletionTimestamp } = metadata;
  return {
    ...defined({ labels, annotations, ownerReferences }),
    ...(exist && defined({ deletionTimestamp })),
    creationTimestamp: exist ? creationTimestamp ?? now : now,
  };
}

type Metadata = Omit<ObjectMeta, "uid"> & {
  readonly namespace: string;
  readonly creationTimestamp: string;
};

function podOf(metadata: Metadata, spec: Pod["spec"]): Pod {
  return { metadata: { ...metadata, uid: `${metadata.namespace}/${metadata.name}` }, spec };
}

function podGroupOf(manifest: Manifest, metadata: Metadata): PodGroup {
  checkManifest(manifest, podGroupManifest);
  const { kind, apiVersion = "" } = manifest;
  const uid = `${kind}/${metadata.name}`;
  return { ...manifest, apiVersion, metadata: { ...metadata, uid } } as PodGroup;
}

function jobOf(manifest: Manifest, metadata: Metadata): Job {
  const { uid = `Job/${metadata.name}` } = manifest.metadata ?? {};
  return { ...manifest, metadata: { ...metadata, uid } };
}

/** Its status says since when it runs, or that it has ended; of a pod that is yet to be created, where it has a node. */
function withStatus(pod: Pod, { status, exist }: { status?: unknown; exist: boolean }): Pod {
  const counts = exist || pod.spec.nodeName !== undefined;
  return counts && typeof status === "object" && status !== null ? { ...pod, status } : pod;
}

/** The pods that there are at once, and their PodGroup. */
function addWorkload(
  { pods, podGroup }: Workload,
  { objects, kind, metadata }: { objects: Objects; kind: string; metadata: Metadata },
): void {
  const { creationTimestamp, namespace, name } = metadata;
  const self = { kind, name };
  for (const { name, template, labels, annotations, owner = self } of pods) {
    const own = {
      labels: { ...template.metadata?.labels, ...labels },
      annotations: { ...template.metadata?.annotations, ...annotations },
      ownerReferences: [{ ...owner, controller: true }],
    };
    objects.pods.push(podOf({ ...own, name, namespace, creationTimestamp }, template.spec));
  }
  if (podGroup === undefined) return;
  objects.podGroups.push({
    kind: xPodGroup,
    podGroup: {
      apiVersion: `${xPodGroup.group}/${xPodGroup.versions[0]}`,
      metadata: {
        name,
        namespace,
        creationTimestamp,
        uid: `PodGroup/${name}`,
      },
      spec: podGroup,
    },
  });
}
