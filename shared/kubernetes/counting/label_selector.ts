/**
 * Which labels a selector selects.
 *
 * @module
 */
import { labelOf } from "../../core/gang/label.ts";
import type { LabelSelector } from "../types.ts";
import { meets } from "./node_match.ts";

/** Whether labels meet all that a selector says. */
export function selects(
  { matchLabels = {}, matchExpressions = [] }: LabelSelector,
  labels: Readonly<Record<string, string>>,
): boolean {
  return Object.entries(matchLabels).every(([key, value]) => labelOf(labels, key) === value) &&
    matchExpressions.every((requirement) => meets(requirement, labelOf(labels, requirement.key)));
}
