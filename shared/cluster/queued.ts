/**
 * Gang groups as they queue.
 *
 * @module
 */
import type { Queued } from "../core/queue/asking.ts";
import type { GangGroup } from "./gang_group.ts";

/** What a group's place in the queue depends on. */
export function placedBy({ gangs, attended: { whole, failedAt } }: GangGroup): Queued {
  const units = gangs.map((gang) => {
    const { spec } = gang.read();
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

/** What queue-sort is asked about a group. */
export function queuedOf(group: GangGroup): Queued {
  const { units, failedAt } = placedBy(group);
  const told = units.map(({ gang: { minResources: _, ...gang }, ...unit }) => ({ ...unit, gang }));
  return { units: told, failedAt };
}
