/**
 * How a status differs from what it should be.
 *
 * @module
 */
import { conditionsOf } from "./conditions.ts";
import type { PodGroupStatus } from "./summary.ts";

/** The wanted fields that a status does not have yet, undefined where it has all; a count of 0 may be left out. */
export function missingFrom(
  before: PodGroupStatus,
  wanted: PodGroupStatus,
): PodGroupStatus | undefined {
  const missing = Object.entries(wanted).filter(([name, value]) =>
    !isSame(before[name] ?? 0, value)
  );
  return missing.length > 0 ? Object.fromEntries(missing) : undefined;
}

/** Whether two values of JSON are equal; the API server gives fields in an order of its own. */
function isSame(one: unknown, other: unknown): boolean {
  if (!isObject(one) || !isObject(other)) return one === other;
  return Object.keys({ ...one, ...other }).every((key) => isSame(one[key], other[key]));
}

function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === "object" && value !== null;
}

/** Whether a status turns to another phase or outcome; if not, only numbers and words change. */
export function isTurn(before: PodGroupStatus, wanted: PodGroupStatus): boolean {
  const outcomes = (status: PodGroupStatus) =>
    JSON.stringify(conditionsOf(status).map(({ type, status }) => [type, status]));
  return before["phase"] !== wanted["phase"] ||
    outcomes(before) !== outcomes({ ...before, ...wanted });
}
