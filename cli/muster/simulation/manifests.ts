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
import { checkMetadata, checkNode, checkPod } from "./refusals.ts";
import type { Workload } from "./workloads/workload.ts";
import { workloadReader } from "./workloads/workloads.ts";

/** An object of a manifest, before anything is known of it. */
interface Manifest {
  readonly apiVersion?: string;
  readonly kind?: string;
  readonly metadata?: Partial<ObjectMeta> & { readonly generateName?: unknown };
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
  for (const { name, text } of files) {
    for (const document of parseAllDocuments(text)) {
      const [error] = document.errors;
      if (error) throw new Failure(`Cannot read "${name}" as YAML: ${error.message}`);
      const manifest = withoutNull(document.toJS()) as Manifest | null | undefined;
      for (const item of manifest ? itemsOf(manifest) : []) {
        try {
          addManifest(item, { ...options, objects });
        } catch (error) {
          const of = `${item.kind ?? "object"} "${item.metadata?.name ?? ""}"`;
          throw new Failure(`Cannot use ${of} in "${name}": ${(error as Error).message}`);
        }
      }
    }
  }
  return objects;
}

/** Of these each value is a text, and none that is null. */
const textFields = ["labels", "annotations", "nodeSelector"];

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

function addManifest(
  manifest: Manifest,
  { objects, namespace, now, exist = false }: ManifestOptions & { objects: Objects },
): void {
  const { kind = "", apiVersion = "" } = manifest;
  const name = manifest.metadata?.name ?? manifest.metadata?.generateName;
  if (typeof name !== "string" || name === "") throw new Error("it has no metadata.name");
  const metadata = { ...metadataOf(manifest, { now, exist }), name };
  const namespaced = { ...metadata, namespace: manifest.metadata?.namespace ?? namespace };
  const groupKind = podGroupKinds.find(({ group }) => apiVersion.startsWith(`${group}/`));
  const read = workloadReader(apiVersion, kind);
  switch (kind) {
    case "Pod":
      objects.pods.push(
        withStatus(podOf(namespaced, manifest["spec"]), { status: manifest["status"], exist }),
      );
      break;
    case "Node":
      objects.nodes.push(nodeOf(manifest, metadata));
      break;
    case "DeviceClass":
      objects.deviceClasses.push({ ...manifest, metadata: { name, uid: name } });
      break;
    case "PriorityClass":
      objects.priorities.set(name, Number(manifest["value"]));
      if (manifest["globalDefault"] === true) objects.priorities.set("", Number(manifest["value"]));
      break;
    default:
      if (read && exist) {
        // Its pods are there, as far as it has any.
        if (kind === "Job") objects.jobs.push(jobOf(manifest, namespaced));
      } else if (read) {
        const { labels = {} } = namespaced;
        const workload = read({ name, labels, spec: manifest["spec"] });
        addWorkload(workload, { objects, kind, metadata: namespaced });
      } else if (kind === "PodGroup" && groupKind) {
        const podGroup = podGroupOf(manifest, namespaced);
        objects.podGroups.push({ kind: groupKind, podGroup });
      } else if (kind === "CompositePodGroup" && groupKind?.group === compositePodGroups.group) {
        objects.composites.push(podGroupOf(manifest, namespaced));
      } else {
        const id = `${apiVersion} ${kind}`.trim() || "object without a kind";
        objects.ignored.set(id, (objects.ignored.get(id) ?? 0) + 1);
      }
  }
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

// deno-lint-ignore no-explicit-any -- the pod's own spec, which the API server has not looked at
function podOf(metadata: Metadata, spec: any): Pod {
  const uid = `${metadata.namespace}/${metadata.name}`;
  const pod: Pod = { metadata: { ...metadata, uid }, spec };
  checkPod(pod);
  return pod;
}

function nodeOf(manifest: Manifest, metadata: Omit<ObjectMeta, "uid">): Node {
  const node: Node = { ...manifest, metadata: { ...metadata, uid: metadata.name } };
  checkNode(node);
  return node;
}

function podGroupOf(manifest: Manifest, metadata: Metadata): PodGroup {
  checkMetadata(metadata);
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
