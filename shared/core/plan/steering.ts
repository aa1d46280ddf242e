/**
 * How much hangs on where the members of a group go.
 *
 * @module
 */
import { Carried } from "../gang/carried.ts";
import type { Composite } from "../gang/topology.ts";
import { kindsOf } from "../room/fit.ts";
import type { Demand } from "./demand.ts";

/**
 * - `free`: any node will do that leaves the others their room, so that the scheduler's own scores choose.
 * - `planned`: each member has its place, because another could not use it; one that has none goes where room is to spare.
 * - `strict`: the same, and one that has none waits for one.
 */
export type Steering = "free" | "planned" | "strict";

/** Of gangs that are a group of their own. */
const known = new Carried<Demand, Steering>();

/** Whether a member's pod says where it would rather run. */
export function haveAPreference(demands: readonly Demand[]): boolean {
  return demands.some(({ candidates }) => candidates.some(({ hasPreference }) => hasPreference));
}

/** Members that are alike may change places; those that are to run together, or to be one to a slice, may not. */
export function steeringOf(
  demands: readonly Demand[],
  composite: Composite | undefined,
): Steering {
  const [first] = demands;
  if (!first || demands.length > 1 || composite) return newSteeringOf(demands, composite);
  return known.of(first) ?? known.put(first, newSteeringOf(demands, composite));
}

function newSteeringOf(demands: readonly Demand[], composite: Composite | undefined): Steering {
  // The room of members that are not needed may be another role's.
  if (composite || demands.some(({ facts }) => facts.gang.roles)) return "strict";
  const topologies = demands.map(({ facts }) => facts.gang.topology);
  if (topologies.some((topology) => topology?.required || topology?.slice)) return "strict";
  const isPreferred = topologies.some((topology) => topology?.preferred);
  const kinds = kindsOf(demands.flatMap(({ candidates }) => candidates));
  return isPreferred || kinds.length > 1 ? "planned" : "free";
}
