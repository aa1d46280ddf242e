import type { Node, Pod, ResourceList } from "./objects.ts";
import { quantity } from "../../shared/kubernetes/counting/quantity.ts";

/** Amounts by resource name, in thousandths. */
export type Amounts = Record<string, number>;

/** Pods are never changed in place, so their requests are read once. */
const REQUESTS = new WeakMap<Pod, Amounts>();

/** What one pod asks for: the sum of its containers, or the largest init container where that is more. */
export function requestsOf(pod: Pod): Amounts {
  const known = REQUESTS.get(pod);
  if (known !== undefined) return known;
  const total: Amounts = {};
  for (const container of pod.spec.containers) {
    for (const [name, amount] of Object.entries(amounts(container.resources?.requests))) {
      total[name] = (total[name] ?? 0) + amount;
    }
  }
  for (const container of pod.spec.initContainers ?? []) {
    for (const [name, amount] of Object.entries(amounts(container.resources?.requests))) {
      total[name] = Math.max(total[name] ?? 0, amount);
    }
  }
  REQUESTS.set(pod, total);
  return total;
}

/** A resource list in thousandths. */
export function amounts(list: ResourceList | undefined): Amounts {
  return Object.fromEntries(
    Object.entries(list ?? {}).map(([name, value]) => [name, quantity(String(value), 3)]),
  );
}

/** One node with the pods that are bound to it or assumed on it. */
export interface NodeRoom {
  node: Node;
  allocatable: Amounts;
  pods: Map<string, Pod>;
}

/** The scheduler's cache: every node with its pods. An assumed pod counts like a bound one until it is forgotten. */
export class NodeRooms {
  #rooms = new Map<string, NodeRoom>();
  /** Node name by pod uid, also for nodes that are not known yet. */
  #placed = new Map<string, { pod: Pod; node: string }>();
  #assumed = new Set<string>();

  /** All known nodes in the order in which they came. */
  values(): NodeRoom[] {
    return [...this.#rooms.values()];
  }

  /** One node. */
  get(name: string): NodeRoom | undefined {
    return this.#rooms.get(name);
  }

  /** Adds or updates a node. */
  setNode(node: Node): void {
    const { name } = node.metadata;
    const here = [...this.#placed.values()].filter((placed) => placed.node === name);
    this.#rooms.set(name, {
      node,
      allocatable: amounts(node.status.allocatable ?? node.status.capacity),
      pods: new Map(here.map(({ pod }) => [pod.metadata.uid, pod])),
    });
  }

  /** Forgets a node; its pods are remembered for the case that it returns. */
  removeNode(name: string): void {
    this.#rooms.delete(name);
  }

  /** Counts a pod that the API server says is bound; an assumption about it is thereby confirmed. */
  confirm(pod: Pod, node: string): void {
    this.#take(pod.metadata.uid);
    this.#place(pod, node);
  }

  /** Counts a pod on a node before it is bound. */
  assume(pod: Pod, node: string): void {
    this.#place(pod, node);
    this.#assumed.add(pod.metadata.uid);
  }

  /** True while a pod is assumed and not confirmed. */
  isAssumed(uid: string): boolean {
    return this.#assumed.has(uid);
  }

  /** Drops a bound pod; false when it was not known. */
  remove(uid: string): boolean {
    return this.#take(uid);
  }

  /** Drops a pod that is only assumed; false when it is not. */
  forget(uid: string): boolean {
    return this.#assumed.has(uid) && this.#take(uid);
  }

  #place(pod: Pod, node: string): void {
    this.#placed.set(pod.metadata.uid, { pod, node });
    this.#rooms.get(node)?.pods.set(pod.metadata.uid, pod);
  }

  #take(uid: string): boolean {
    const placed = this.#placed.get(uid);
    if (placed === undefined) return false;
    this.#rooms.get(placed.node)?.pods.delete(uid);
    this.#placed.delete(uid);
    this.#assumed.delete(uid);
    return true;
  }
}
