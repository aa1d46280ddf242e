/**
 * Gang groups whose members the scheduler does not try: they wait for a ResourceClaim that is not there, say, or nothing runs
 * that schedules them. Nobody says so of a pod.
 *
 * @module
 */
import { times } from "../core/attend/times.ts";
import type { GangGroup } from "./gang_group.ts";

/** Whether the scheduler has been seen to try a member of those that wait, or to hold one. */
function isTried({ gangs, attended: { refused, coming } }: GangGroup): boolean {
  return refused.size > 0 || coming.size > 0 ||
    gangs.some(({ lists }) => lists.sizeOf("tried") > 0 || lists.sizeOf("held") > 0);
}

/** From when on a group counts as one that is not tried, in ms since the epoch; Infinity: it is, or waits behind gates. */
export function untriedFrom(group: GangGroup): number {
  const { arrivals, ungatedAt = 0 } = group.attended;
  const isPending = group.gangs.some(({ lists }) => lists.sizeOf("pending") > 0);
  if (isTried(group) || group.isGated || !isPending) return Infinity;
  return Math.max(arrivals.last, ungatedAt) + times.keeps;
}

/** Whether pods may leave for a group: it can use their room, or has had no chance to show it. */
export function mayUseRoom(group: GangGroup): boolean {
  return isTried(group) || group.isGated;
}
