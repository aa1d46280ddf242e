import type { Node, Pod } from "../../../shared/kubernetes/types.ts";
import { lagging } from "./lagging.ts";
import type { Change } from "../../../tools/sandbox/object_store.ts";
import type { ModelApi } from "./model_api.ts";
import { isActive, NodeSpace } from "./room.ts";
import type { VirtualClock } from "./virtual_clock.ts";

/** What a scheduler knows of the cluster: what its watches have shown, and the pods that it assumes on nodes. */
export class SchedulerView {
  readonly pods: Map<string, Pod>;
  readonly nodes: Map<string, Node>;
  readonly #assumed = new Map<string, { pod: Pod; node: string }>();
  readonly #unwatch: () => void;
  #isStopped = false;

  /** `lag` is how late its watches are, in ms; `told` hears of a change when it is shown. */
  constructor(
    api: ModelApi,
    { clock, lag, told }: {
      clock: VirtualClock;
      lag: () => number;
      told: (change: Change) => void;
    },
  ) {
    this.pods = new Map(api.pods);
    this.nodes = new Map(api.nodes);
    const show = (change: Change) => {
      if (this.#isStopped) return;
      this.#show(change);
      told(change);
    };
    this.#unwatch = api.watch(lagging(show, { clock, lag }));
  }

  /** Its watches end. */
  stop(): void {
    this.#isStopped = true;
    this.#unwatch();
  }

  /** A pod takes its room from now on, though no watch shows it on the node. */
  assume(pod: Pod, node: string): void {
    this.#assumed.set(pod.metadata.uid, { pod, node });
  }

  /** A pod was not bound. */
  forget(uid: string): void {
    this.#assumed.delete(uid);
  }

  /** Pods that take room, and where. */
  *placed(): Iterable<{ other: Pod; node: string }> {
    for (const [uid, other] of this.pods) {
      const node = other.spec.nodeName ?? this.#assumed.get(uid)?.node;
      if (node !== undefined && isActive(other)) yield { other, node };
    }
  }

  /** Free room for a pod: without the room of pods that victims leave for. */
  spaces(pod: Pod): Map<string, NodeSpace> {
    const spaces = new Map([...this.nodes].map(([name, node]) => [name, new NodeSpace(node)]));
    for (const { other, node } of this.placed()) spaces.get(node)?.add(other);
    for (const other of this.pods.values()) {
      const { uid } = other.metadata;
      const nominated = other.status?.nominatedNodeName;
      const isAhead = (other.spec.priority ?? 0) >= (pod.spec.priority ?? 0);
      if (!nominated || other.spec.nodeName || uid === pod.metadata.uid || !isAhead) continue;
      if (!this.#assumed.has(uid)) spaces.get(nominated)?.add(other);
    }
    return spaces;
  }

  #show({ storage, type, object }: Change): void {
    const isGone = type === "DELETED";
    if (storage === "nodes") {
      if (isGone) this.nodes.delete(object.metadata.name);
      else this.nodes.set(object.metadata.name, object as unknown as Node);
    } else if (storage === "pods") {
      const { uid } = object.metadata;
      const pod = object as unknown as Pod;
      if (isGone) this.pods.delete(uid);
      else this.pods.set(uid, pod);
      if (isGone || pod.spec.nodeName) this.#assumed.delete(uid);
    }
  }
}
