/**
 * Room that is kept for a gang group that others have passed for long enough.
 *
 * @module
 */
import { reserve } from "../room/reservation.ts";
import type { Taken } from "../room/timetable.ts";
import type { Looks } from "./looks.ts";
import { leavesOf, type Part } from "./part.ts";
import type { Regions } from "./regions.ts";
import { Search } from "./search.ts";

/** Of what room is reserved: what is free now, and what would be if all pods had left that ever do. */
export interface Reserving {
  readonly open: Regions;
  readonly capacity: Regions;
  readonly looks: Looks;
}

/** Reserves what a group needs where it is nearest to being free, of both; nothing where the empty cluster could not take it. */
export function reserveFor(
  part: Part,
  { open, capacity, looks }: Reserving,
): readonly Taken[] | undefined {
  if (!isAnywhere(part)) return reserveTogether(part, { open, capacity, looks });
  const rooms = { open: open.ground, capacity: capacity.ground };
  const marks = [rooms.open.mark(), rooms.capacity.mark()] as const;
  const leaves = leavesOf(part).filter(({ needed }) => needed > 0);
  const taken = leaves.map(({ all, needed }) => reserve(all, { ...rooms, enough: needed }));
  if (taken.every((each) => each.length > 0)) return taken.flat();
  rooms.open.undoTo(marks[0]);
  rooms.capacity.undoTo(marks[1]);
  return undefined;
}

/** Whether its members may be placed one by one. */
export function isAnywhere(part: Part): boolean {
  const { required, slice } = part.topology;
  if (required !== undefined || slice !== undefined) return false;
  if (part.is === "leaf") return true;
  return part.min === part.parts.length && part.members === 0 && part.parts.every(isAnywhere);
}

/** In the domain of which the most is free now. */
function reserveTogether(
  part: Part,
  { open, capacity, looks }: Reserving,
): readonly Taken[] | undefined {
  const where = { region: undefined, siblings: new Search(capacity).nodesOf(part) };
  const free = new Map(
    open.bounds(part.topology, { region: undefined, siblings: [] })?.map(({ name, nodes }) =>
      [name, open.roomFor(part, nodes)] as const
    ),
  );
  const domains = capacity.bounds(part.topology, where)?.toSorted((a, b) =>
    (free.get(b.name) ?? 0) - (free.get(a.name) ?? 0)
  );
  for (const region of domains?.map(({ nodes }) => nodes) ?? [undefined]) {
    const search = new Search(capacity, { looks });
    if (!search.place(part, { region })) continue;
    for (const use of search.uses) open.ground.takeAt(use.node, use, use.count);
    return search.uses;
  }
  return undefined;
}
