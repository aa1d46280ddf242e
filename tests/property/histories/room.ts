import { allocatableOf, requestsOf } from "../../../shared/kubernetes/counting/requests.ts";
import { mayRunOn } from "../../../shared/kubernetes/counting/node_match.ts";
import type { Node, Pod } from "../../../shared/kubernetes/types.ts";

/** Requests never change, so they are read once. */
const requests = new WeakMap<Pod["spec"], [string, number][]>();
const allocatable = new WeakMap<Node, [string, number][]>();

function amountsOf(pod: Pod): [string, number][] {
  let amounts = requests.get(pod.spec);
  if (!amounts) requests.set(pod.spec, amounts = [...requestsOf(pod)]);
  return amounts;
}

/** What is free on a node, by resource. */
export class NodeSpace {
  readonly node: Node;
  readonly #free: Map<string, number>;

  constructor(node: Node) {
    this.node = node;
    let amounts = allocatable.get(node);
    if (!amounts) allocatable.set(node, amounts = [...allocatableOf(node)]);
    this.#free = new Map(amounts);
  }

  /** By resource. */
  get free(): ReadonlyMap<string, number> {
    return this.#free;
  }

  /** A pod takes its room. */
  add(pod: Pod): void {
    for (const [name, amount] of amountsOf(pod)) {
      this.#free.set(name, (this.#free.get(name) ?? 0) - amount);
    }
  }

  /** A pod gives its room back. */
  remove(pod: Pod): void {
    for (const [name, amount] of amountsOf(pod)) {
      this.#free.set(name, (this.#free.get(name) ?? 0) + amount);
    }
  }

  /** Whether the pod may run here at all, and has room. */
  takes(pod: Pod): boolean {
    return mayRunOn(pod, this.node) && this.howMany(pod) > 0;
  }

  /** How many pods like this one have room. */
  howMany(pod: Pod): number {
    let count = Infinity;
    for (const [name, amount] of amountsOf(pod)) {
      if (amount > 0) count = Math.min(count, Math.floor((this.#free.get(name) ?? 0) / amount));
    }
    return Math.max(0, count);
  }
}

/** Whether a pod still takes room on its node. */
export function isActive(pod: Pod): boolean {
  return pod.status?.phase !== "Succeeded" && pod.status?.phase !== "Failed";
}
