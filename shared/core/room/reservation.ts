/**
 * Where a gang that waits for room is going to start, so that smaller gangs behind it do not take what becomes free there
 * (S4 names backfill as future work).
 *
 * @module
 */
import {
  type Candidate,
  fitting,
  giveBack,
  kindsOf,
  largestFirst,
  placeAlike,
  type Room,
  takeAll,
  type Use,
} from "./fit.ts";

/** What is there to reserve. */
export interface Reservable {
  /** Free room; a reservation may take more than is there, of what is still to become free. */
  readonly open: Room;
  /** What would be free if all pods had left that ever do. */
  readonly capacity: Room;
}

/**
 * Reserves room for `enough` candidates: what is free now for as many as find any, and for the others the nodes that are
 * nearest to being free. Both rooms are reduced by it. A gang that the empty cluster could not take reserves nothing.
 */
export function reserve(
  candidates: readonly Candidate[],
  rooms: Reservable,
  enough: number,
): Use[] {
  const { open, capacity } = rooms;
  const taken: Use[] = [];
  let left = enough;
  for (const kind of largestFirst(kindsOf(candidates), capacity)) {
    const wanted = Math.min(kind.length, left);
    const now: Use[] = [];
    const fitNow = placeAlike(kind[0]!, wanted, { room: open, taken: now });
    for (const use of now) takeAll(capacity, use);
    const later: Use[] = [];
    left -= fitNow + placeLater(kind[0]!, wanted - fitNow, { ...rooms, taken: later });
    // Before the next kind looks at what is free: it is not free for that one.
    for (const use of later) takeAll(open, use);
    taken.push(...now, ...later);
  }
  if (left === 0) return taken;
  giveBack(open, taken);
  giveBack(capacity, taken);
  return [];
}

function placeLater(
  candidate: Candidate,
  wanted: number,
  { open, capacity, taken }: Reservable & { taken: Use[] },
): number {
  const { requests, kind, mayRunOn } = candidate;
  const nodes = [...capacity]
    .map(([node, room]) => ({ node, fits: fitting(requests, room), free: freeShare(node) }))
    .filter(({ node, fits }) => fits > 0 && mayRunOn(node))
    .sort((a, b) => b.free - a.free);
  let placed = 0;
  for (const { node, fits } of nodes) {
    if (placed === wanted) break;
    const use = { node, kind, requests, count: Math.min(fits, wanted - placed) };
    takeAll(capacity, use);
    taken.push(use);
    placed += use.count;
  }
  return placed;

  /** How much of what the candidate asks for is free on the node, summed over the resources. */
  function freeShare(node: string): number {
    let share = 0;
    for (const resource of requests.keys()) {
      const whole = capacity.get(node)?.get(resource) ?? 0;
      if (whole > 0 && whole < Infinity) share += (open.get(node)?.get(resource) ?? 0) / whole;
    }
    return share;
  }
}
