/**
 * Members that gangs have lost which run.
 *
 * @module
 */
import { lost } from "../gang/quorum.ts";
import type { Ground } from "../room/ground.ts";
import type { Demand } from "./demand.ts";
import { partOf } from "./part.ts";
import type { Looked } from "./planning.ts";

/**
 * Of what its gangs lack for their minimum, though nothing is needed before members may bind, so many wait. Which of its gangs a
 * composite needs is not known of them.
 */
export function lostIn({ group, demands }: Pick<Looked, "group" | "demands">): number {
  if (group.composite) return 0;
  return demands.reduce((sum, demand) => sum + lostOf(demand), 0);
}

/** The same, as if each gang needed one of these. */
export function needingOne(
  { group, demands: all }: Looked,
  ground: Ground,
): Pick<Looked, "demands" | "part"> {
  const { refused } = group;
  const demands = all.map((demand) => ({
    ...demand,
    needed: Math.max(demand.needed, Math.min(1, lostOf(demand))),
  }));
  return { demands, part: partOf(demands, { ground, refused }) };
}

function lostOf({ facts, candidates, needed }: Demand): number {
  return needed > 0 ? 0 : Math.min(lost(facts), candidates.length);
}
