/**
 * Whose a pod is to place.
 *
 * @module
 */
import type { ForeignScheduler } from "../core/gang/facts.ts";
import { limits } from "../core/gang/limits.ts";
import { shortened } from "../core/words/text.ts";
import { isOfScheduler } from "./bindable.ts";
import type { Pod } from "./types.ts";

/** The scheduler that a pod names, where it is none of these; the API server gives a pod a name that has none. */
export function foreignSchedulerOf(
  pod: Pod,
  served: readonly string[],
): ForeignScheduler | undefined {
  const { schedulerName } = pod.spec;
  if (schedulerName === undefined || isOfScheduler(pod, served)) return undefined;
  const short = (name: string) => shortened(name, limits.schedulerName);
  return { scheduler: short(schedulerName), served: served.slice(0, limits.served).map(short) };
}
