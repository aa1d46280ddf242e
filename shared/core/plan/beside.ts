/**
 * What a group finds that does not fit.
 *
 * @module
 */
import type { Fit } from "../gang/facts.ts";
import type { Ground } from "../room/ground.ts";
import { placedByPreemption } from "./by_preemption.ts";
import { mayFit } from "./may_fit.ts";
import { neededOf } from "./part.ts";
import { placeTogether } from "./placing.ts";
import type { Looked, Planning, Unfit } from "./planning.ts";
import { Regions } from "./regions.ts";
import { shortageOf } from "./shortage.ts";
import type { World } from "./world.ts";

/** What a group finds that does not fit; if it would where nothing is reserved, that, and for whom it is. */
export function beside(looked: Looked, { world, rooms }: Planning): Unfit {
  const { part } = looked;
  const { free } = rooms.table;
  const { ahead } = rooms.keeping;
  if (ahead && mayFit(part, free)) {
    const mark = free.mark();
    const found = placeTogether(part, { regions: new Regions(free, world.levels) });
    free.undoTo(mark);
    const of = neededOf(part);
    if (found) return { fit: { members: of, of }, ahead };
  }
  return { fit: shortage(looked, { world, ground: free }) };
}

/** How many members find room, and how many more would if pods of lower priority left. */
function shortage(
  { group, demands, part }: Looked,
  { world, ground }: { world: World; ground: Ground },
): Fit {
  const fit = shortageOf(part, { regions: new Regions(ground, world.levels) });
  const byPreemption = placedByPreemption(demands, { world, group, ground }) - fit.members;
  // Whether all would have room by that, the search for victims says.
  if (world.evictions && fit.members + byPreemption >= fit.of) return fit;
  return byPreemption > 0 ? { ...fit, byPreemption } : fit;
}
