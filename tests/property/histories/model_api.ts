import type { KubeConfig } from "@kubernetes/client-node";
import type { Fetch } from "../../../relay/kube/fetch.ts";
import type { PodGroup } from "../../../shared/kubernetes/declaring/pod_group.ts";
import type { Condition, Node, Pod } from "../../../shared/kubernetes/types.ts";
import type { Chance } from "../../../tools/chance.ts";
import type { VirtualClock } from "./virtual_clock.ts";

/** What a watch tells. */
export type Change =
  | {
    readonly kind: "pod";
    readonly before: Pod | undefined;
    readonly pod: Pod;
    readonly isGone: boolean;
  }
  | { readonly kind: "node"; readonly node: Node; readonly isGone: boolean }
  | { readonly kind: "podGroup"; readonly podGroup: PodGroup; readonly isGone: boolean };

/** How writes of a relay fare: they are refused, their answers are lost, or they come late. */
export type WriteFault = "none" | "refuse" | "lose-answer" | "delay";

/** What relays patch: annotations, gates that are removed, and the one condition that a pod has here. */
interface Patch {
  readonly metadata: {
    readonly uid?: string;
    readonly resourceVersion?: string;
    readonly annotations?: Record<string, string>;
  };
  readonly spec?: { readonly schedulingGates: readonly { readonly name: string }[] };
  readonly status?: {
    readonly conditions?: readonly Condition[];
    readonly nominatedNodeName?: string | null;
  };
}

/** A pod with a node is deleted so long after it was asked to end, in ms. */
const gracePeriodsMs = [1, 4, 10, 2000, 2000];
/** Pods on a node that does not exist are deleted after this time, in ms. */
const collectAfterMs = 1000;
const latencyMs = 1;

/** The configuration of a client of the API server. */
export const kubeConfig = {
  getCurrentCluster: () => ({ server: "" }),
  applyToHTTPSOptions: () => Promise.resolve(),
} as unknown as KubeConfig;

/** An API server: objects, their watches, and the rules of bindings. */
export class ModelApi {
  readonly pods = new Map<string, Pod>();
  readonly nodes = new Map<string, Node>();
  readonly podGroups = new Map<string, PodGroup>();
  fault: WriteFault = "none";
  /** So many evictions of a hundred are refused for a budget. */
  kept = 0;
  readonly #uids = new Map<string, string>();
  #version = 0;
  readonly #watches = new Set<(change: Change) => void>();
  readonly #clock: VirtualClock;
  readonly #chance: Chance;
  #created = 0;

  constructor(clock: VirtualClock, chance: Chance) {
    this.#clock = clock;
    this.#chance = chance;
  }

  /** Tells of every change from now on; the answer ends it. */
  watch(told: (change: Change) => void): () => void {
    this.#watches.add(told);
    return () => this.#watches.delete(told);
  }

  /** The time as the API server writes it, in whole seconds. */
  timestamp(): string {
    return new Date(this.#clock.now - this.#clock.now % 1000).toISOString();
  }

  /** Whether a pod of that name exists. */
  has(namespace: string, name: string): boolean {
    return this.#uids.has(`${namespace}/${name}`);
  }

  /** Creates a pod. */
  createPod(pod: Omit<Pod, "metadata"> & { metadata: Omit<Pod["metadata"], "uid"> }): void {
    const { namespace, name } = pod.metadata;
    const uid = `${namespace}-${name}#${++this.#created}`;
    const metadata = { ...pod.metadata, uid, creationTimestamp: this.timestamp() };
    this.#uids.set(`${namespace}/${name}`, uid);
    const gated = this.#unscheduled({ reason: "SchedulingGated", message: "gates are closed" });
    const isGated = (pod.spec.schedulingGates?.length ?? 0) > 0;
    this.#put({
      ...pod,
      metadata,
      status: { phase: "Pending", ...(isGated && { conditions: [gated] }) },
    });
  }

  /** Removes scheduling gates of a pod. */
  removeGates(uid: string, isRemoved: (name: string) => boolean): void {
    const pod = this.pods.get(uid);
    const gates = pod?.spec.schedulingGates;
    const schedulingGates = gates?.filter(({ name }) => !isRemoved(name));
    if (!pod || !schedulingGates || schedulingGates.length === gates?.length) return;
    this.#put({ ...pod, spec: { ...pod.spec, schedulingGates } });
  }

  /** Deletes a pod: at once where it has no node, and after its grace period where it has one. */
  deletePod(uid: string): void {
    const pod = this.pods.get(uid);
    if (!pod) return;
    const hasEnded = pod.status?.phase === "Succeeded" || pod.status?.phase === "Failed";
    if (!pod.spec.nodeName || hasEnded) return this.#remove(uid);
    if (pod.metadata.deletionTimestamp) return;
    this.#put({ ...pod, metadata: { ...pod.metadata, deletionTimestamp: this.timestamp() } });
    this.#clock.set(() => this.#remove(uid), this.#chance.pick(gracePeriodsMs)!);
  }

  /** A kubelet reports a pod's phase. */
  setPhase(uid: string, phase: "Running" | "Succeeded" | "Failed"): void {
    const pod = this.pods.get(uid);
    if (pod) this.#put({ ...pod, status: { ...pod.status, phase } });
  }

  /** The scheduler says why it did not place a pod, and where victims leave for it: "" nowhere, undefined where they did. */
  setUnscheduled(
    uid: string,
    about: { reason: string; message: string; nominated: string | undefined },
  ): void {
    const pod = this.pods.get(uid);
    if (!pod || pod.spec.nodeName) return;
    const { nominatedNodeName: before = "", ...status } = pod.status ?? {};
    const { reason, message, nominated = before } = about;
    const known = status.conditions?.[0];
    const isSame = known?.reason === reason && known.message === message && nominated === before;
    if (isSame) return;
    this.#put({
      ...pod,
      status: {
        ...status,
        conditions: [this.#unscheduled({ reason, message })],
        ...(nominated && { nominatedNodeName: nominated }),
      },
    });
  }

  /** Creates or changes a node. */
  putNode(node: Node): void {
    this.nodes.set(node.metadata.name, node);
    this.#tell({ kind: "node", node, isGone: false });
  }

  /** Deletes a node, and later what ran there. */
  deleteNode(name: string): void {
    const node = this.nodes.get(name);
    if (!node) return;
    this.nodes.delete(name);
    this.#tell({ kind: "node", node, isGone: true });
    this.#clock.set(() => this.#collect(), collectAfterMs);
  }

  /** Creates a PodGroup, or changes one. */
  putPodGroup(
    podGroup: Omit<PodGroup, "metadata"> & { metadata: { namespace: string; name: string } },
  ): void {
    const { namespace, name } = podGroup.metadata;
    const id = `${namespace}/${name}`;
    const known = this.podGroups.get(id)?.metadata;
    const metadata = known ?? {
      namespace,
      name,
      uid: `podgroup#${++this.#created}`,
      creationTimestamp: this.timestamp(),
    };
    const created = { ...podGroup, metadata };
    this.podGroups.set(id, created);
    this.#tell({ kind: "podGroup", podGroup: created, isGone: false });
  }

  /** Deletes a PodGroup. */
  deletePodGroup(id: string): void {
    const podGroup = this.podGroups.get(id);
    if (!podGroup) return;
    this.podGroups.delete(id);
    this.#tell({ kind: "podGroup", podGroup, isGone: true });
  }

  /** Answers a relay. */
  readonly fetch: Fetch = async (url, init) => {
    const [, , , , namespace, , name, verb] = url.split("/");
    const isWrite = init.method !== "GET";
    const fault = isWrite ? this.fault : "none";
    const late = fault === "delay" ? this.#chance.below(3000) : 0;
    await this.#clock.sleep(latencyMs + late);
    if (fault === "refuse" && this.#chance.percent(60)) {
      return answer(500, { message: "try again" });
    }
    const [code, body] = this.#serve(this.#uids.get(`${namespace}/${name}`), { verb, init });
    await this.#clock.sleep(latencyMs);
    if (fault === "lose-answer" && this.#chance.percent(60)) throw new Error("connection lost");
    return answer(code, body);
  };

  #serve(
    uid: string | undefined,
    { verb, init }: { verb: string | undefined; init: RequestInit },
  ): [code: number, body: unknown] {
    const pod = uid === undefined ? undefined : this.pods.get(uid);
    if (!pod) return [404, { message: "pod not found" }];
    if (init.method === "GET") return [200, pod];
    const body = JSON.parse(String(init.body));
    if (verb === "binding") {
      return this.#bind(pod, { uid: body.metadata.uid, node: body.target.name });
    }
    return verb === "eviction" ? this.#evict(pod) : this.#patch(pod, body);
  }

  #evict(pod: Pod): [code: number, body: unknown] {
    if (this.#chance.percent(this.kept)) return [429, { message: "its budget keeps it" }];
    this.deletePod(pod.metadata.uid);
    return [201, {}];
  }

  #patch(pod: Pod, { metadata, spec, status }: Patch): [code: number, body: unknown] {
    const { uid } = pod.metadata;
    if (metadata.uid !== undefined && metadata.uid !== uid) {
      return [409, { message: "the UID in the precondition differs" }];
    }
    const { resourceVersion } = pod.metadata;
    if (metadata.resourceVersion !== undefined && metadata.resourceVersion !== resourceVersion) {
      return [409, { message: "the object has been modified" }];
    }
    if (metadata.annotations) {
      const annotations = { ...pod.metadata.annotations, ...metadata.annotations };
      this.#put({ ...pod, metadata: { ...pod.metadata, annotations } });
    }
    if (status?.conditions) {
      this.#put({ ...pod, status: { ...pod.status, conditions: status.conditions } });
    }
    if (status?.nominatedNodeName !== undefined) {
      const { nominatedNodeName: _, ...rest } = pod.status ?? {};
      const nominatedNodeName = status.nominatedNodeName ?? undefined;
      const { metadata } = this.pods.get(uid)!;
      this.#put({
        ...pod,
        metadata,
        status: { ...rest, ...(nominatedNodeName && { nominatedNodeName }) },
      });
    }
    for (const gate of spec?.schedulingGates ?? []) {
      this.removeGates(uid, (name) => name === gate.name);
    }
    return [200, {}];
  }

  #unscheduled(about: { reason: string; message: string }): Condition {
    return {
      type: "PodScheduled",
      status: "False",
      ...about,
      lastTransitionTime: this.timestamp(),
    };
  }

  #bind(pod: Pod, { uid, node }: { uid: string; node: string }): [code: number, body: unknown] {
    if (pod.metadata.uid !== uid) return [409, { message: "the UID in the precondition differs" }];
    if (pod.metadata.deletionTimestamp) return [409, { message: "pod is being deleted" }];
    if (pod.spec.nodeName) return [409, { message: "pod is already assigned to a node" }];
    const condition: Condition = {
      type: "PodScheduled",
      status: "True",
      lastTransitionTime: this.timestamp(),
    };
    this.#put({
      ...pod,
      spec: { ...pod.spec, nodeName: node },
      status: { phase: "Pending", conditions: [condition] },
    });
    if (!this.nodes.has(node)) this.#clock.set(() => this.#collect(), collectAfterMs);
    return [201, {}];
  }

  #collect(): void {
    for (const [uid, { spec: { nodeName } }] of [...this.pods]) {
      if (nodeName && !this.nodes.has(nodeName)) this.#remove(uid);
    }
  }

  #put(written: Pod): void {
    const resourceVersion = String(++this.#version);
    const pod = { ...written, metadata: { ...written.metadata, resourceVersion } };
    const { uid } = pod.metadata;
    const before = this.pods.get(uid);
    this.pods.set(uid, pod);
    this.#tell({ kind: "pod", before, pod, isGone: false });
  }

  #remove(uid: string): void {
    const pod = this.pods.get(uid);
    if (!pod) return;
    const { namespace, name } = pod.metadata;
    this.pods.delete(uid);
    this.#uids.delete(`${namespace}/${name}`);
    this.#tell({ kind: "pod", before: pod, pod, isGone: true });
  }

  #tell(change: Change): void {
    for (const told of [...this.#watches]) told(change);
  }
}

function answer(code: number, body: unknown): Response {
  const text = JSON.stringify(body);
  return { ok: code < 300, status: code, text: () => Promise.resolve(text) } as Response;
}
