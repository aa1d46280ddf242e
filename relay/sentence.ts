/**
 * How Muster's sentences are told from the scheduler's own.
 *
 * @module
 */
import type { Pod } from "../shared/kubernetes/types.ts";

const mark = "Muster: ";

/** A sentence as the scheduler is told it. */
export function told(message: string): string {
  return mark + message;
}

/** Why the scheduler's own plugins refuse a pod; undefined if they do not, or if it was Muster that refused it. */
export function fromScheduler(pod: Pod): string | undefined {
  const condition = pod.status?.conditions?.find(({ type }) => type === "PodScheduled");
  if (condition?.status !== "False" || condition.reason !== "Unschedulable") return undefined;
  const message = condition.message ?? "";
  return message.includes(mark) ? undefined : message;
}
