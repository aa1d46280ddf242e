/**
 * The PodDisruptionBudgets of the cluster.
 *
 * @module
 */
import {
  type DisruptionBudget,
  isUnder,
  leavesFreely,
} from "../kubernetes/counting/disruption_budget.ts";
import type { Pod } from "../kubernetes/types.ts";

/** Those of one namespace, and under which of them pods are that were asked for, until one changes. */
interface Own {
  readonly budgets: Map<string, DisruptionBudget>;
  known: WeakMap<Pod, readonly string[]>;
}

/** The relay's copy of the budgets. */
export class Budgets {
  readonly #namespaces = new Map<string, Own>();

  /** A budget was added or changed. */
  changed(budget: DisruptionBudget): void {
    const { namespace = "", uid } = budget.metadata;
    const own = this.#namespaces.get(namespace) ?? { budgets: new Map(), known: new WeakMap() };
    this.#namespaces.set(namespace, own);
    own.budgets.set(uid, budget);
    own.known = new WeakMap();
  }

  /** A budget is gone. */
  deleted({ metadata: { namespace = "", uid } }: DisruptionBudget): void {
    const own = this.#namespaces.get(namespace);
    if (!own) return;
    own.budgets.delete(uid);
    own.known = new WeakMap();
    if (own.budgets.size === 0) this.#namespaces.delete(namespace);
  }

  /** The budgets that keep a pod as long as they allow none to leave, by uid. */
  keeping(pod: Pod): readonly string[] {
    const under = this.of(pod);
    if (under.length === 0) return under;
    const { budgets } = this.#namespaces.get(pod.metadata.namespace)!;
    return leavesFreely(pod, under.map((uid) => budgets.get(uid)!)) ? [] : under;
  }

  /** The budgets that a pod is under, by uid. */
  of(pod: Pod): readonly string[] {
    const own = this.#namespaces.get(pod.metadata.namespace);
    if (!own) return [];
    const known = own.known.get(pod);
    if (known) return known;
    const found = [...own.budgets].flatMap(([uid, budget]) => isUnder(budget, pod) ? [uid] : []);
    own.known.set(pod, found);
    return found;
  }

  /** So many more pods under each may leave, by uid. */
  allowed(): ReadonlyMap<string, number> {
    const all = this.#namespaces.values().flatMap(({ budgets }) => budgets);
    return new Map(all.map(([uid, { status }]) => [uid, status?.disruptionsAllowed ?? 0]));
  }
}
