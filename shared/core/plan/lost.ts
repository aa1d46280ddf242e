/**
 * Members that gangs have lost which run.
 *
 * @module
 */
import { gangId } from "../gang/facts.ts";
import { lost } from "../gang/quorum.ts";
import type { Ground } from "../room/ground.ts";
import type { Demand } from "./demand.ts";
import { partOf } from "./part.ts";
import type { Looked } from "./planning.ts";

/** Of what gangs lack for their minimum, though nothing is needed before members may bind, so many wait; by `namespace/name`. */
export type Lost = ReadonlyMap<string, number>;

/** Those of a group. */
export function lostIn({ demands }: Pick<Looked, "demands">): Lost {
  return new Map(demands.flatMap((demand) => {
    const lost = lostOf(demand);
    return lost > 0 ? [[gangId(demand.facts.gang), lost]] : [];
  }));
}

/** The same, as if each such gang needed one of these. */
export function needingOne(
  { group, demands: all }: Looked,
  ground: Ground,
): Pick<Looked, "demands" | "part"> {
  const { refused } = group;
  const demands = all.map((demand) => ({ ...demand, needed: Math.min(1, lostOf(demand)) }));
  return { demands, part: partOf(demands, { ground, refused }) };
}

function lostOf({ facts, candidates, needed }: Demand): number {
  return needed > 0 ? 0 : Math.min(lost(facts), candidates.length);
}
