/**
 * The PodDisruptionBudgets of the cluster.
 *
 * @module
 */
import { type DisruptionBudget, isUnder } from "../kubernetes/counting/disruption_budget.ts";
import type { Pod } from "../kubernetes/types.ts";

/** The relay's copy of the budgets. */
export class Budgets {
  readonly #budgets = new Map<string, DisruptionBudget>();
  /** The budgets of pods that were asked for, until a budget changes. */
  #known = new WeakMap<Pod, readonly string[]>();

  /** A budget was added or changed. */
  changed(budget: DisruptionBudget): void {
    this.#budgets.set(budget.metadata.uid, budget);
    this.#known = new WeakMap();
  }

  /** A budget is gone. */
  deleted({ metadata }: DisruptionBudget): void {
    this.#budgets.delete(metadata.uid);
    this.#known = new WeakMap();
  }

  /** The budgets that a pod is under, by uid. */
  of(pod: Pod): readonly string[] {
    const known = this.#known.get(pod);
    if (known) return known;
    const found = [...this.#budgets].flatMap(([uid, budget]) => isUnder(budget, pod) ? [uid] : []);
    this.#known.set(pod, found);
    return found;
  }

  /** So many more pods under each may leave, by uid. */
  allowed(): ReadonlyMap<string, number> {
    return new Map(
      [...this.#budgets].map(([uid, { status }]) => [uid, status?.disruptionsAllowed ?? 0]),
    );
  }
}
