import type { Fetch } from "../../../shared/client/fetch.ts";
import type { CompositePodGroup } from "../../../shared/kubernetes/declaring/composite_pod_group.ts";
import type { PodGroup } from "../../../shared/kubernetes/declaring/pod_group.ts";
import type { Node, Pod } from "../../../shared/kubernetes/types.ts";
import type { Chance } from "../../../tools/chance.ts";
import { Api, type ApiRequest } from "../../../tools/sandbox/api.ts";
import { type KubeObject, objectKey } from "../../../tools/sandbox/objects.ts";
import type { Change, ObjectStore } from "../../../tools/sandbox/object_store.ts";
import { apiVersionOf, customResource } from "../../../tools/sandbox/resources.ts";
import type { VirtualClock } from "./virtual_clock.ts";

/** How writes of a relay fare: they are refused, their answers are lost, or they come late. */
export type WriteFault = "none" | "refuse" | "lose-answer" | "delay";

/** A pod with a node is deleted so long after it was asked to end, in ms. */
const gracePeriodsMs = [1, 4, 10, 2000, 2000];
/** Pods on a node that does not exist are deleted after this time, in ms. */
const collectAfterMs = 1000;
const latencyMs = 1;

/** Where a client finds the API server, and who it is. */
export const connection = { server: "", credentials: () => Promise.resolve({}) };

/** PodGroups of scheduler-plugins, as the API server keeps them. */
export const podGroups = customResource({
  group: "scheduling.x-k8s.io",
  version: "v1alpha1",
  plural: "podgroups",
  kind: "PodGroup",
});

/** PodGroups of Kubernetes itself. */
export const nativePodGroups = customResource({
  group: "scheduling.k8s.io",
  version: "v1alpha3",
  plural: "podgroups",
  kind: "PodGroup",
});

/** CompositePodGroups. */
export const compositePodGroups = customResource({
  ...nativePodGroups,
  plural: "compositepodgroups",
  kind: "CompositePodGroup",
});

/** What declares gangs. */
const declaring = [podGroups, nativePodGroups, compositePodGroups];

/** A PodGroup or a CompositePodGroup. */
export interface Declared extends Omit<PodGroup, "metadata"> {
  readonly kind: string;
  readonly metadata: { readonly namespace: string; readonly name: string };
}

/** An API server, what people and controllers do to its objects, and its answers to a relay, which faults befall. */
export class ModelApi {
  readonly api: Api;
  /** By UID. */
  readonly pods = new Map<string, Pod>();
  /** By name. */
  readonly nodes = new Map<string, Node>();
  /** Of both kinds, by `namespace/name`. */
  readonly podGroups = new Map<string, PodGroup>();
  readonly composites = new Map<string, CompositePodGroup>();
  fault: WriteFault = "none";
  /** So many evictions of a hundred are refused for a budget. */
  kept = 0;
  /** Pods that somebody was asked to evict, as `namespace/name`. */
  readonly evicted = new Set<string>();
  /** By storage. */
  readonly #kept: ReadonlyMap<string, Map<string, unknown>> = new Map<string, Map<string, unknown>>(
    [
      ["pods", this.pods],
      ["nodes", this.nodes],
      [podGroups.storage, this.podGroups],
      [nativePodGroups.storage, this.podGroups],
      [compositePodGroups.storage, this.composites],
    ],
  );
  readonly #clock: VirtualClock;
  readonly #chance: Chance;

  constructor(clock: VirtualClock, chance: Chance) {
    this.#clock = clock;
    this.#chance = chance;
    let created = 0;
    this.api = new Api({
      resources: declaring,
      uidOf: ({ namespace, name }) =>
        namespace === undefined ? name! : `${namespace}-${name}#${++created}`,
      gracePeriodMs: () => chance.pick(gracePeriodsMs)!,
    });
    for (const namespace of ["a", "b"]) this.api.addNamespace(namespace);
    this.#store.subscribe((change) => this.#changed(change));
  }

  /** Tells of every change, but of those of events, from now on; the answer ends it. */
  watch(told: (change: Change) => void): () => void {
    return this.#store.subscribe((change) => {
      if (change.storage !== "events") told(change);
    });
  }

  /** The objects of a storage, the oldest first. */
  list(storage: string): Iterable<KubeObject> {
    return this.#store.all(storage).values();
  }

  /** Whether a pod of that name exists. */
  has(namespace: string, name: string): boolean {
    return this.#store.get("pods", `${namespace}/${name}`) !== undefined;
  }

  /** Creates a pod. */
  createPod(pod: Omit<Pod, "metadata"> & { metadata: Omit<Pod["metadata"], "uid"> }): void {
    const path = `/api/v1/namespaces/${pod.metadata.namespace}/pods`;
    this.#write({ method: "POST", path, body: pod });
  }

  /** Removes scheduling gates of a pod. */
  removeGates(uid: string, isRemoved: (name: string) => boolean): void {
    const pod = this.pods.get(uid);
    const gates = pod?.spec.schedulingGates;
    const schedulingGates = gates?.filter(({ name }) => !isRemoved(name));
    if (!pod || !schedulingGates || schedulingGates.length === gates?.length) return;
    this.#put("pods", { ...pod, spec: { ...pod.spec, schedulingGates } });
  }

  /** Deletes a pod: at once where it has no node, and after its grace period where it has one. */
  deletePod(uid: string): void {
    const pod = this.pods.get(uid);
    if (pod) this.#write({ method: "DELETE", path: pathOf(pod) });
  }

  /** A kubelet reports a pod's phase. */
  setPhase(uid: string, phase: "Running" | "Succeeded" | "Failed"): void {
    const pod = this.pods.get(uid);
    if (pod) this.#put("pods", { ...pod, status: { ...pod.status, phase } });
  }

  /** Creates or changes a node. */
  putNode(node: Node): void {
    this.#put("nodes", node);
  }

  /** Deletes a node, and later what ran there. */
  deleteNode(name: string): void {
    this.#write({ method: "DELETE", path: `/api/v1/nodes/${name}` });
    this.#collectSoon();
  }

  /** Creates a PodGroup or a CompositePodGroup, or changes one. */
  declare(declared: Declared): void {
    const { apiVersion, kind, metadata: { namespace, name }, ...rest } = declared;
    const resource = declaring.find((one) =>
      apiVersionOf(one) === apiVersion && one.kind === kind
    )!;
    const known = this.#store.get(resource.storage, `${namespace}/${name}`);
    if (known) return this.#put(resource.storage, { ...known, ...rest });
    const path = `/apis/${apiVersion}/namespaces/${namespace}/${resource.plural}`;
    this.#write({ method: "POST", path, body: { apiVersion, ...rest, metadata: { name } } });
  }

  /** Deletes a PodGroup or a CompositePodGroup; what it is in, or what is in it, stays. */
  revoke({ kind, metadata: { namespace, name } }: Pick<Declared, "kind" | "metadata">): void {
    for (const { storage } of declaring.filter((one) => one.kind === kind)) {
      const known = this.#store.get(storage, `${namespace}/${name}`);
      if (known) this.#store.remove(storage, known);
    }
  }

  /** Answers a relay. */
  readonly fetch: Fetch = async (path, init) => {
    const method = init.method!;
    const [, evicted] = /namespaces\/(.+)\/eviction$/.exec(path) ?? [];
    if (evicted !== undefined) this.evicted.add(evicted.replace("/pods/", "/"));
    const fault = method === "GET" ? "none" : this.fault;
    const late = fault === "delay" ? this.#chance.below(3000) : 0;
    await this.#clock.sleep(latencyMs + late);
    if (fault === "refuse" && this.#chance.percent(60)) return answer(500, "try again");
    const { code, body } = this.#serve(path, init);
    await this.#clock.sleep(latencyMs);
    if (fault === "lose-answer" && this.#chance.percent(60)) throw new Error("connection lost");
    return answer(code, body);
  };

  get #store(): ObjectStore {
    return this.api.store;
  }

  #serve(path: string, { method, headers, body }: RequestInit): { code: number; body?: unknown } {
    const [, , , , namespace, , name, verb] = path.split("/");
    if (verb === "eviction" && this.has(namespace!, name!) && this.#chance.percent(this.kept)) {
      return { code: 429, body: { message: "its budget keeps it" } };
    }
    return this.api.answer({
      method: method!,
      path,
      contentType: (headers as Record<string, string>)["content-type"]!,
      ...(body != null && { body: JSON.parse(String(body)) }),
    });
  }

  #changed({ storage, type, object }: Change): void {
    const kept = this.#kept.get(storage);
    const key = storage === "pods" ? object.metadata.uid : objectKey(object);
    if (type === "DELETED") kept?.delete(key);
    else kept?.set(key, object);
    const { nodeName } = (object as unknown as Pod).spec ?? {};
    if (storage === "pods" && nodeName && !this.nodes.has(nodeName)) this.#collectSoon();
  }

  #collectSoon(): void {
    this.#clock.set(() => {
      for (const pod of [...this.pods.values()]) {
        const { nodeName } = pod.spec;
        if (nodeName && !this.nodes.has(nodeName)) {
          this.#store.remove("pods", pod as unknown as KubeObject);
        }
      }
    }, collectAfterMs);
  }

  #write(request: ApiRequest): void {
    const { code, body } = this.api.answer(request);
    if (code >= 300) throw new Error(JSON.stringify(body));
  }

  #put(storage: string, object: object): void {
    this.#store.put(storage, object as KubeObject);
  }
}

function pathOf({ metadata: { namespace, name } }: Pod): string {
  return `/api/v1/namespaces/${namespace}/pods/${name}`;
}

function answer(code: number, body: unknown): Response {
  const text = JSON.stringify(body);
  return { ok: code < 300, status: code, text: () => Promise.resolve(text) } as Response;
}
