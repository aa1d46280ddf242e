/**
 * What plans were made on.
 *
 * @module
 */
import type { Plan } from "./plan.ts";
import type { World } from "./world.ts";

type Made = Pick<World, "nodes" | "settings">;

const madeOn = new WeakMap<Plan, Made>();

/** A plan was made on these nodes, by these settings. */
export function noteMadeOn(plan: Plan, { nodes, settings }: Made): void {
  if (!isMadeOn(plan, { nodes, settings })) madeOn.set(plan, { nodes, settings });
}

/** Whether no node has come, gone, or been labelled or tainted otherwise since, and gangs are counted alike. */
export function isMadeOn(plan: Plan, { nodes, settings }: Made): boolean {
  const made = madeOn.get(plan);
  return made !== undefined && made.nodes === nodes &&
    made.settings.matchPolicy === settings.matchPolicy;
}
