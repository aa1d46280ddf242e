/**
 * Which nodes plans were made on.
 *
 * @module
 */
import type { Plan } from "./plan.ts";

const madeOn = new WeakMap<Plan, unknown>();

/** A plan was made on these nodes. */
export function noteMadeOn(plan: Plan, nodes: unknown): void {
  if (!isMadeOn(plan, nodes)) madeOn.set(plan, nodes);
}

/** Whether none has come, gone, or been labelled or tainted otherwise since. */
export function isMadeOn(plan: Plan, nodes: unknown): boolean {
  return madeOn.get(plan) === nodes;
}
