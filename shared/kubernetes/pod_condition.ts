/**
 * What a pod's conditions say.
 *
 * @module
 */
import type { Condition, Pod } from "./types.ts";

/** Those that are read; copies of pods keep no others. */
export const readConditions = ["PodScheduled", "Ready", "DisruptionTarget"] as const;

/** The condition of a type, of which a pod has at most one. */
export function podCondition(
  { status }: Pod,
  type: typeof readConditions[number],
): Condition | undefined {
  return status?.conditions?.find((condition) => condition.type === type);
}
