import { lagging } from "./lagging.ts";
import { NodeRoom } from "./node_room.ts";
import { isOver, type Node, type Pod, priorityOf } from "./objects.ts";
import type { Change, ObjectStore } from "./object_store.ts";

/** What a scheduler knows of the cluster: what its watches have shown, and the pods that it assumes on nodes. */
export class SchedulerView {
  /** By UID. */
  readonly pods = new Map<string, Pod>();
  /** By name. */
  readonly nodes = new Map<string, Node>();
  readonly #assumed = new Map<string, string>();
  readonly #unwatch: () => void;
  #isStopped = false;

  /** `lagMs` is how late its watches are; `told` hears of a change when it is shown. */
  constructor(
    store: ObjectStore,
    { lagMs, told }: { lagMs: () => number; told: (change: Change) => void },
  ) {
    for (const node of store.all("nodes").values()) {
      this.nodes.set(node.metadata.name, node as Node);
    }
    for (const pod of store.all("pods").values()) this.pods.set(pod.metadata.uid, pod as Pod);
    const show = lagging((change) => {
      if (this.#isStopped) return;
      this.#show(change);
      told(change);
    }, lagMs);
    this.#unwatch = store.subscribe((change) => {
      if (change.storage === "pods" || change.storage === "nodes") show(change);
    });
  }

  /** Its watches end. */
  stop(): void {
    this.#isStopped = true;
    this.#unwatch();
  }

  /** A pod takes its room from now on, though no watch shows it on the node. */
  assume(pod: Pod, node: string): void {
    this.#assumed.set(pod.metadata.uid, node);
  }

  /** Whether a pod is assumed on a node. */
  isAssumed(uid: string): boolean {
    return this.#assumed.has(uid);
  }

  /** A pod was not bound. */
  forget(uid: string): void {
    this.#assumed.delete(uid);
  }

  /** A pod that may still be placed, as it is now; undefined: it is gone, placed or on its way out. */
  open(uid: string): Pod | undefined {
    const pod = this.pods.get(uid);
    return pod?.spec.nodeName || pod?.metadata.deletionTimestamp !== undefined ? undefined : pod;
  }

  /** Pods that take room, and where. */
  *placed(): Iterable<{ other: Pod; node: string }> {
    for (const [uid, other] of this.pods) {
      const node = other.spec.nodeName ?? this.#assumed.get(uid);
      if (node !== undefined && !isOver(other)) yield { other, node };
    }
  }

  /** Free room for a pod by node: without the room of pods that victims leave for. */
  rooms(pod: Pod): Map<string, NodeRoom> {
    const rooms = new Map([...this.nodes].map(([name, node]) => [name, new NodeRoom(node)]));
    for (const { other, node } of this.placed()) rooms.get(node)?.add(other);
    for (const [uid, other] of this.pods) {
      const { nominatedNodeName } = other.status;
      const isAhead = priorityOf(other) >= priorityOf(pod);
      if (!nominatedNodeName || other.spec.nodeName || uid === pod.metadata.uid || !isAhead) {
        continue;
      }
      if (!this.#assumed.has(uid)) rooms.get(nominatedNodeName)?.add(other);
    }
    return rooms;
  }

  #show({ storage, type, object }: Change): void {
    const { name, uid } = object.metadata;
    const isGone = type === "DELETED";
    if (storage === "nodes") {
      if (isGone) this.nodes.delete(name);
      else this.nodes.set(name, object as Node);
      return;
    }
    const pod = object as Pod;
    if (isGone) this.pods.delete(uid);
    else this.pods.set(uid, pod);
    if (isGone || pod.spec.nodeName) this.#assumed.delete(uid);
  }
}
