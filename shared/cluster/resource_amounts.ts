/**
 * What the cluster has of its resources, and what of it is taken, for whoever looks.
 *
 * @module
 */
import type { ResourceAmounts } from "../core/gang/facts.ts";
import { limits } from "../core/gang/limits.ts";
import { add } from "../kubernetes/counting/requests.ts";
import type { ClusterRoom } from "./cluster_room.ts";
import type { PodRecord } from "./pod_record.ts";

/** Pod slots are seldom what is short. */
const leftOut = "pods";

/** Open bind calls, by what their pods ask for. */
type Held = Iterable<{ readonly record: Pick<PodRecord, "requests"> }>;

/** The amounts as they are now. Looks at the held pods, and at nothing else one by one: it is told with every call. */
export function resourceAmounts(
  { totals: { allocatable, free } }: Pick<ClusterRoom, "totals">,
  holds: Held,
): ResourceAmounts[] {
  const held = new Map<string, number>();
  for (const { record } of holds) add(held, record.requests);
  return [...allocatable].filter(([name, amount]) => name !== leftOut && amount > 0)
    .slice(0, limits.clusterResources)
    .map(([name, amount]) => {
      const heldAmount = held.get(name) ?? 0;
      const bound = Math.max(0, amount - (free.get(name) ?? 0) - heldAmount);
      return { name, allocatable: amount, bound, held: heldAmount };
    });
}
