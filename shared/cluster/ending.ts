/**
 * What runs of which it is known when it ends, taken from a copy of the cluster.
 *
 * @module
 */
import { groupId } from "../core/gang/facts.ts";
import type { Ending } from "../core/plan/world.ts";
import type { Cluster } from "./cluster.ts";

/**
 * Gang groups of which every gang that runs, or whose members are held, is expected to end, or leaves already, and when the last
 * one does; `now` is in ms since the epoch.
 */
export function endingIn({ gangs }: Cluster, now: number): Ending[] {
  const found = new Map<string, Ending>();
  for (const gang of gangs.values()) {
    const { startedAt, endedAt, leavesAt, uses } = gang.run();
    if (uses.length === 0 || endedAt !== undefined) continue;
    const id = groupId(gang.read().spec);
    const before = found.get(id);
    const isLeaving = leavesAt !== undefined && (!before || before.isLeaving === true);
    const endsAt = Math.max(
      before?.endsAt ?? 0,
      leavesAt ?? (startedAt ?? now) + 1000 * (gang.runTime?.seconds ?? Infinity),
    );
    const all = before ? [...before.uses, ...uses] : uses;
    found.set(id, { id, endsAt, uses: all, ...(isLeaving && { isLeaving }) });
  }
  return [...found.values()].filter(({ endsAt }) => endsAt < Infinity);
}
