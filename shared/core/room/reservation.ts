/**
 * Where a gang that waits for room is going to start, so that smaller gangs behind it do not take what becomes free there
 * (S4 names backfill as future work).
 *
 * @module
 */
import type { Resources } from "./fit.ts";
import type { Ground, Kind } from "./ground.ts";

/** Members that are alike. */
export interface Reserving extends Kind {
  readonly count: number;
}

/** What is there to reserve. */
export interface Reservable {
  /** Free room; a reservation may take more than is there, of what is still to become free. */
  readonly open: Ground;
  /** What would be free if all pods had left that ever do. */
  readonly capacity: Ground;
}

/** Members for whom a node is reserved. */
export interface Reserved {
  readonly node: string;
  /** Of each of them. */
  readonly requests: Resources;
  readonly count: number;
}

/**
 * Reserves room for `enough` members, the largest kinds first: what is free now for as many as find any, and for the others
 * the nodes that are nearest to being free. Both rooms are reduced by it. A gang that the empty cluster could not take reserves
 * nothing.
 */
export function reserve(
  kinds: readonly Reserving[],
  { open, capacity, enough }: Reservable & { enough: number },
): readonly Reserved[] {
  const marks = [open.mark(), capacity.mark()] as const;
  const reserved: Reserved[] = [];
  let left = enough;
  for (const kind of kinds) {
    const wanted = Math.min(kind.count, left);
    const nodes = open.fullestFirst(kind);
    const now = take(kind, { wanted, nodes, from: open, also: capacity });
    const later = take(kind, {
      wanted: wanted - countOf(now),
      nodes: nearestFirst(kind, { open, capacity }),
      from: capacity,
      also: open,
    });
    reserved.push(...now, ...later);
    left = enough - countOf(reserved);
  }
  if (left === 0) return reserved;
  open.undoTo(marks[0]);
  capacity.undoTo(marks[1]);
  return [];
}

/** Takes as much as there is of one room, and the same of the other. */
function take(
  kind: Kind,
  { wanted, nodes, from, also }: {
    wanted: number;
    nodes: readonly number[];
    from: Ground;
    also: Ground;
  },
): Reserved[] {
  const taken: Reserved[] = [];
  let left = wanted;
  for (const node of nodes) {
    if (left === 0) break;
    const count = Math.min(left, from.fits(kind, node));
    if (count === 0) continue;
    from.take(node, kind, count);
    also.takeAt(from.nameOf(node), kind, count);
    taken.push({ node: from.nameOf(node), requests: kind.requests, count });
    left -= count;
  }
  return taken;
}

function countOf(reserved: readonly Reserved[]): number {
  return reserved.reduce((sum, { count }) => sum + count, 0);
}

/** Nodes that could take a member, the one first of which the most is free already. */
function nearestFirst(kind: Kind, { open, capacity }: Reservable): number[] {
  const nodes = capacity.fullestFirst(kind).map((node) => ({ node, free: freeShare(node) }));
  return nodes.sort((a, b) => b.free - a.free || a.node - b.node).map(({ node }) => node);

  /** How much of what the member asks for is free on the node, summed over the resources. */
  function freeShare(node: number): number {
    const now = open.roomOf(capacity.nameOf(node));
    let share = 0;
    for (const resource of kind.requests.keys()) {
      const whole = capacity.rooms[node]?.get(resource) ?? 0;
      if (whole > 0 && whole < Infinity) share += (now?.get(resource) ?? 0) / whole;
    }
    return share;
  }
}
