/**
 * Gang groups as they queue.
 *
 * @module
 */
import type { Queued } from "../core/queue/asking.ts";
import type { GangGroup } from "./gang_group.ts";

/** What queue-sort is asked about a group. */
export function queuedOf({ gangs, attended: { whole, failedAt } }: GangGroup): Queued {
  const units = gangs.map((gang) => {
    const { minResources: _, ...spec } = gang.read().spec;
    return {
      id: gang.id,
      gang: spec,
      priority: spec.priority ?? 0,
      queuedAt: spec.createdAt,
      bound: gang.lists.sizeOf("bound"),
      wholeAt: whole?.[gang.id],
    };
  });
  return { units, failedAt };
}
