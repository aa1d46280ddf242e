/**
 * Where a gang group is going to start that finds room later: on what is not free until then, as far as possible, so that others
 * can use what is free now in the meantime.
 *
 * @module
 */
import type { Use } from "../room/fit.ts";
import type { Ground } from "../room/ground.ts";
import type { Looks } from "./looks.ts";
import { type Alike, isLacking, leavesOf, type Part, useOf } from "./part.ts";
import { mayFit } from "./may_fit.ts";
import { placeAnew } from "./placing.ts";
import type { Regions } from "./regions.ts";
import { isAnywhere } from "./reserving.ts";
import { Search } from "./search.ts";

/** What is free now, and what is free then. */
export interface LateRoom {
  readonly now: Regions;
  readonly then: Regions;
  /** What is left to look at. */
  readonly looks: Looks;
}

/** Where it has room then; nothing stays placed. */
export function lateRoomFor(
  part: Part,
  { now, then, looks }: LateRoom,
): readonly Use[] | undefined {
  if (!mayFit(part, then.ground)) return undefined;
  const marks = [now.ground.mark(), then.ground.mark()] as const;
  const takenBack = (uses: readonly Use[] | undefined) => {
    now.ground.undoTo(marks[0]);
    then.ground.undoTo(marks[1]);
    return uses;
  };
  if (isAnywhere(part)) {
    const uses = takenBack(usesAnywhere(part, { now: now.ground, then: then.ground }));
    // Of one kind no other search would find more.
    if (uses || part.all.length === 1) return uses;
  }
  return takenBack(usesTogether(part, { now, then, looks }));
}

function usesAnywhere(part: Part, grounds: { now: Ground; then: Ground }): Use[] | undefined {
  if (isLacking(part)) return undefined;
  const uses: Use[] = [];
  for (const { all, needed } of leavesOf(part)) {
    let left = needed;
    for (const alike of all) {
      const wanted = Math.min(alike.count, left);
      left -= wanted - take(alike, { ...grounds, wanted, uses });
    }
    if (left > 0) return undefined;
  }
  return uses;
}

/** So many of them have no room. */
function take(
  alike: Alike,
  { now, then, wanted, uses }: { now: Ground; then: Ground; wanted: number; uses: Use[] },
): number {
  let left = wanted;
  const nodes = then.fullestFirst(alike);
  for (const node of nodes) {
    if (left === 0) return 0;
    const fits = then.fits(alike, node);
    const count = Math.min(left, fits - Math.min(fits, now.fits(alike, node)));
    if (count > 0) seat(node, count);
  }
  if (left === 0) return 0;
  const rest = nodes.filter((node) => then.fits(alike, node) > 0)
    .sort((a, b) => now.fits(alike, a) - now.fits(alike, b));
  for (const node of rest) {
    if (left === 0) return 0;
    const count = Math.min(left, then.fits(alike, node));
    now.take(node, alike, count);
    seat(node, count);
  }
  return left;

  function seat(node: number, count: number): void {
    then.take(node, alike, count);
    uses.push(useOf(alike, { node: then.nameOf(node), count }));
    left -= count;
  }
}

/** In the domain that has the least room now. */
function usesTogether(part: Part, { now, then, looks }: LateRoom): readonly Use[] | undefined {
  const siblings = new Search(then).nodesOf(part);
  const domains = then.bounds(part.topology, { region: undefined, siblings });
  const regions = domains?.map(({ nodes }) => ({ nodes, room: now.roomFor(part, nodes) }))
    .sort((a, b) => a.room - b.room).map(({ nodes }) => nodes);
  for (const region of regions ?? [undefined]) {
    const found = placeAnew(part, { regions: then, region, looks });
    if (found) return found.uses;
  }
  return undefined;
}
