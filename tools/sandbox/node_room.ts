import { mayRunOn } from "../../shared/kubernetes/counting/node_match.ts";
import { allocatableOf, requestsOf } from "../../shared/kubernetes/counting/requests.ts";
import type { Node as ReadNode, Pod as ReadPod } from "../../shared/kubernetes/types.ts";
import type { Node as StoredNode, Pod as StoredPod } from "./objects.ts";

/** As the sandbox stores it, or as Muster reads it. */
type Pod = ReadPod | StoredPod;
type Node = ReadNode | StoredNode;

/** Why a node refuses a pod, in the words of kube-scheduler's plugins. */
export interface Refusal {
  reasons: string[];
  /** Whether evicting pods could help. */
  resolvable: boolean;
}

type Amounts = ReadonlyMap<string, number>;

/** Constraints that the sandbox does not evaluate; a pod that has one is an error rather than wrongly placed. */
const unknownFields = ["affinity", "topologySpreadConstraints", "resourceClaims", "overhead"];
/** What a pod without requests counts as, or all of them would pile up on one node. */
const smallPod = { cpu: 100, memory: 200 * 2 ** 20 };

/** Neither changes while an object is the same, so they are read once. */
const requests = new WeakMap<Pod["spec"], Amounts>();
const allocatables = new WeakMap<Node, Amounts>();

/** Throws for a pod whose constraints the sandbox cannot honour. */
export function assertKnownConstraints({ metadata, spec }: Pod): void {
  const field = unknownFields.find((name) => name in spec);
  if (field === undefined) return;
  throw new TypeError(
    `Cannot schedule pod "${metadata.name}": the sandbox does not know spec.${field}; use the real control plane`,
  );
}

/** What is free on a node, and whom it takes. */
export class NodeRoom {
  readonly node: Node;
  readonly #allocatable: Amounts;
  readonly #free: Map<string, number>;

  constructor(node: Node) {
    this.node = node;
    this.#allocatable = known(allocatables, node, () => allocatableOf(node as ReadNode));
    this.#free = new Map(this.#allocatable);
  }

  /** By resource. */
  get free(): Amounts {
    return this.#free;
  }

  /** A pod takes its room. */
  add(pod: Pod): void {
    for (const [name, amount] of amountsOf(pod)) this.#free.set(name, this.#left(name) - amount);
  }

  /** A pod gives its room back. */
  remove(pod: Pod): void {
    for (const [name, amount] of amountsOf(pod)) this.#free.set(name, this.#left(name) + amount);
  }

  /** Whether the pod may run here at all, and has room. */
  takes(pod: Pod): boolean {
    return this.whyNot(pod) === undefined;
  }

  /** The in-tree filters, stopping at the first that refuses: NodeUnschedulable, TaintToleration, NodeAffinity, NodeResourcesFit. */
  whyNot(pod: Pod): Refusal | undefined {
    if (mayRunOn(pod as ReadPod, this.node as ReadNode)) return this.#whyNoRoom(pod);
    return { reasons: [this.#whyNever(pod)], resolvable: false };
  }

  /** LeastAllocated over cpu and memory, 0 to 100; the more is free afterwards the better. */
  score(pod: Pod): number {
    const count = (this.#allocatable.get("pods") ?? 0) - this.#left("pods") + 1;
    const parts = Object.entries(smallPod).map(([name, small]) => {
      const capacity = this.#allocatable.get(name) ?? 0;
      const used = capacity - this.#left(name) + (amountsOf(pod).get(name) ?? 0);
      const taken = Math.max(used, small * count);
      return capacity <= taken ? 0 : ((capacity - taken) / capacity) * 100;
    });
    return Math.floor(parts.reduce((sum, part) => sum + part, 0) / parts.length);
  }

  #left(name: string): number {
    return this.#free.get(name) ?? 0;
  }

  #whyNever({ metadata, spec: { tolerations = [] } }: Pod): string {
    const tolerant = { metadata, spec: { tolerations } };
    const tolerates = (spec: NonNullable<ReadNode["spec"]>) =>
      mayRunOn(tolerant as ReadPod, { metadata: this.node.metadata, spec });
    const { unschedulable = false, taints = [] } = this.node.spec ?? {};
    if (!tolerates({ unschedulable })) return "node(s) were unschedulable";
    const taint = taints.find((one) => !tolerates({ taints: [one] }));
    return taint
      ? `node(s) had untolerated taint {${taint.key}: ${taint.value ?? ""}}`
      : "node(s) didn't match Pod's node affinity/selector";
  }

  #whyNoRoom(pod: Pod): Refusal | undefined {
    const reasons: string[] = [];
    let resolvable = true;
    for (const [name, amount] of amountsOf(pod)) {
      if (amount === 0 || amount <= this.#left(name)) continue;
      reasons.push(name === "pods" ? "Too many pods" : `Insufficient ${name}`);
      // More than the whole node: nobody's eviction helps.
      if (amount > (this.#allocatable.get(name) ?? 0)) resolvable = false;
    }
    return reasons.length === 0 ? undefined : { reasons, resolvable };
  }
}

function amountsOf(pod: Pod): Amounts {
  return known(requests, pod.spec, () => requestsOf(pod as ReadPod));
}

function known<Of extends object>(
  amounts: WeakMap<Of, Amounts>,
  of: Of,
  read: () => Amounts,
): Amounts {
  let found = amounts.get(of);
  if (!found) amounts.set(of, found = read());
  return found;
}
