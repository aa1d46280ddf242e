/**
 * What the scheduler says of a pod: in its own words, or in Muster's.
 *
 * @module
 */
import { mark } from "../../core/words/mark.ts";
import type { Pod } from "../types.ts";
import { podCondition } from "../pod_condition.ts";

/** The scheduler says so where there are victims, but the extender left it no node to evict them from. */
const noPreemption = "no candidate node for preemption";

/**
 * Why the scheduler's own plugins refuse a pod; undefined if they do not, if it was Muster that refused it, or if victims
 * are leaving for it.
 */
export function fromScheduler(pod: Pod): string | undefined {
  const message = unschedulable(pod);
  return isOurs(message) || pod.status?.nominatedNodeName ? undefined : message;
}

/** What the scheduler said of a pod that Muster refused, or did not let evict others; undefined of any other. */
export function fromMuster(pod: Pod): string | undefined {
  const message = unschedulable(pod);
  return isOurs(message) ? message : undefined;
}

/** Whether the scheduler says that it has tried a pod in vain; what stands there from behind Muster's gate is the relay's own. */
export function wasTried(pod: Pod): boolean {
  const condition = podCondition(pod, "PodScheduled");
  const { status, reason, message = "" } = condition ?? {};
  return status === "False" && reason !== "SchedulingGated" && !message.startsWith(mark);
}

function isOurs(message = ""): boolean {
  return message.includes(mark) || message.endsWith(noPreemption);
}

function unschedulable(pod: Pod): string | undefined {
  const condition = podCondition(pod, "PodScheduled");
  return condition?.status === "False" && condition.reason === "Unschedulable"
    ? condition.message ?? ""
    : undefined;
}
