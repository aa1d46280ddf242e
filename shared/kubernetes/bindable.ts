/**
 * Which pods are bound for a scheduler.
 *
 * @module
 */
import { quoted } from "../core/words/text.ts";
import type { ExtenderBindingArgs } from "./extender.ts";
import type { Pod } from "./types.ts";

/** Whether a pod is one of the schedulers of these names; the API server gives a pod that names none the default. */
export function isOfScheduler({ spec }: Pod, schedulerNames: readonly string[]): boolean {
  return schedulerNames.includes(spec.schedulerName ?? "default-scheduler");
}

/**
 * Why a call to bind is refused; undefined where it is not. `pod` is what has the call's UID, if anything has; `node` where it
 * is bound.
 */
export function whyNotBound(
  call: ExtenderBindingArgs,
  { pod, node, schedulerNames }: {
    pod: Pod | undefined;
    node: string | undefined;
    schedulerNames: readonly string[];
  },
): string | undefined {
  const called = `pod ${call.PodNamespace}/${call.PodName}`;
  const { uid, namespace, name } = pod?.metadata ?? {};
  const isIt = uid === call.PodUID && namespace === call.PodNamespace && name === call.PodName;
  if (!pod || !isIt) return `${called} is gone`;
  if (!isOfScheduler(pod, schedulerNames)) {
    return `${called} asks for scheduler ${
      quoted(pod.spec.schedulerName ?? "")
    }, but Muster serves ` +
      `"${schedulerNames.join('", "')}": set its spec.schedulerName`;
  }
  return node === undefined || node === call.Node
    ? undefined
    : `${called} is bound to node "${node}" already`;
}
