/**
 * What must hold of room that is kept for later.
 *
 * @module
 */
import type { Plans } from "../../../shared/core/plan/plan.ts";
import type { Waiting, World } from "../../../shared/core/plan/world.ts";
import { copied, type Free, takeFrom } from "./exact_room.ts";

/** Room that comes, or goes. */
interface Change {
  readonly at: number;
  readonly node: string;
  readonly requests: ReadonlyMap<string, number>;
  /** Below 0: it comes. */
  readonly count: number;
}

/** A rule that is broken; undefined: all hold. Room that is kept from now on by time alone is not told, nor looked at. */
export function faultOfReservations(world: World, plans: Plans, now: number): string | undefined {
  const { reservations: most = 0 } = world;
  const kept = world.waiting.flatMap((group) => {
    const reservation = plans.byGroup.get(group.id)!.reservation;
    return reservation ? [{ group, reservation }] : [];
  });
  const anew = kept.filter(({ group: { reserved }, reservation }) =>
    reservation.startsAt !== reserved?.startsAt
  );
  if (anew.length > most) return `room is kept for ${anew.length} groups, not for ${most}`;
  for (const { group, reservation: { startsAt, uses } } of kept) {
    if (startsAt <= now) return `${group.id} is to start ${now - startsAt} ms ago`;
    const { fit } = plans.byGroup.get(group.id)!;
    const count = uses.reduce((sum, use) => sum + use.count, 0);
    if (count < fit.of) return `room is kept for ${count} of ${fit.of} of ${group.id}`;
  }
  // Room that is taken before it is there makes what is kept too much, until that is planned anew.
  const isUnchecked = world.nominated.length > 0 ||
    [...plans.byGroup.values()].some(({ clearance }) => clearance);
  if (isUnchecked || kept.length === 0) return undefined;
  return overdrawn(world, { plans, now });
}

function overdrawn(
  world: World,
  { plans, now }: { plans: Plans; now: number },
): string | undefined {
  const free = copied(world.free);
  const changes: Change[] = [];
  for (const { endsAt, uses } of world.ending?.() ?? []) {
    const at = endsAt > now ? endsAt : now + Math.max(60_000, now - endsAt);
    for (const use of uses) changes.push({ ...use, at, count: -use.count });
  }
  for (const group of world.waiting) {
    const { taken = [], surplus = [], reservation } = plans.byGroup.get(group.id)!;
    const lasts = lengthOf(group);
    for (const use of [...taken, ...surplus]) {
      takeFrom(free, use);
      changes.push({ ...use, at: now + lasts, count: -use.count });
    }
    if (!reservation) continue;
    const { startsAt, uses } = reservation;
    for (const use of uses) {
      changes.push({ ...use, at: startsAt });
      changes.push({ ...use, at: startsAt + lasts, count: -use.count });
    }
  }
  return goneBelow(free, changes);
}

/** What ends leaves its room before others take it. */
function goneBelow(free: Free, changes: readonly Change[]): string | undefined {
  const sorted = changes.toSorted((a, b) => a.at - b.at || a.count - b.count);
  for (const change of sorted) {
    if (change.at === Infinity || !free.has(change.node)) continue;
    const isThere = takeFrom(free, change);
    if (isThere || change.count < 0) continue;
    return `more is kept on ${change.node} than is there at ${new Date(change.at).toISOString()}`;
  }
  return undefined;
}

function lengthOf({ runTime }: Waiting): number {
  return runTime ? Math.max(1000, 1000 * runTime.seconds) : Infinity;
}
