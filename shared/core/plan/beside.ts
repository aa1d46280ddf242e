/**
 * What a group finds that does not fit.
 *
 * @module
 */
import type { Fit } from "../gang/facts.ts";
import { placedByPreemption } from "./by_preemption.ts";
import { mayFit } from "./may_fit.ts";
import { neededOf } from "./part.ts";
import { placeTogether } from "./placing.ts";
import { type Looked, looksFor, type Planning, type Unfit } from "./planning.ts";
import { Regions } from "./regions.ts";
import { shortageOf } from "./shortage.ts";

/** What a group finds that does not fit; if it would where nothing is reserved, that, and for whom it is. */
export function beside(looked: Looked, planning: Planning): Unfit {
  const { part } = looked;
  const { world, rooms } = planning;
  const { free } = rooms.table;
  const { ahead } = rooms.keeping;
  if (ahead && mayFit(part, free)) {
    const mark = free.mark();
    const regions = new Regions(free, world.levels);
    const found = placeTogether(part, { regions, looks: looksFor(looked, planning) });
    free.undoTo(mark);
    const of = neededOf(part);
    if (found) return { fit: { members: of, of }, ahead };
  }
  return { fit: shortage(looked, planning) };
}

/** How many members find room, and how many more would if pods of lower priority left. */
function shortage(looked: Looked, planning: Planning): Fit {
  const { group, demands, part } = looked;
  const { world, rooms: { table: { free: ground } } } = planning;
  const fit = shortageOf(part, { regions: new Regions(ground, world.levels) });
  const looks = looksFor(looked, planning);
  const found = placedByPreemption(demands, { world, group, ground, looks });
  const byPreemption = found - fit.members;
  // Whether all would have room by that, the search for victims says.
  if (world.evictions && fit.members + byPreemption >= fit.of) return fit;
  return byPreemption > 0 ? { ...fit, byPreemption } : fit;
}
