import type { Condition } from "./objects.ts";

/** The conditions with one of them replaced or added. */
export function setCondition(
  conditions: Condition[] | undefined,
  condition: Condition,
): Condition[] {
  return [...(conditions ?? []).filter((one) => one.type !== condition.type), condition];
}
