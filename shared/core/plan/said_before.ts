/**
 * A plan that says what the last one said is the same object. Most groups of a long queue find again and again what they found, and
 * what is known of them then stays the same object, too.
 *
 * @module
 */
import type { Plan } from "./plan.ts";

/** The plan of before where a group that takes no room is planned alike; else the new one. */
export function orAsBefore(plan: Plan, before: Plan | undefined): Plan {
  if (!before || plan.taken || plan.clearance || plan.reservation) return plan;
  return isSame(plan, before) ? before : plan;
}

/** Whether two values of JSON are the same; a key without a value counts as absent. */
function isSame(a: unknown, b: unknown): boolean {
  if (a === b) return true;
  if (typeof a !== "object" || typeof b !== "object" || a === null || b === null) return false;
  const [one, other] = [a as Record<string, unknown>, b as Record<string, unknown>];
  for (const key in one) if (!isSame(one[key], other[key])) return false;
  for (const key in other) if (one[key] === undefined && other[key] !== undefined) return false;
  return Array.isArray(a) === Array.isArray(b);
}
