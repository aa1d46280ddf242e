/**
 * Gang groups to which room is of no use: the scheduler takes too many of their members on no node (a volume is not there, say), or
 * tries none of them, or their gates can not be removed.
 *
 * @module
 */
import { triedUntil } from "../core/attend/plan_again.ts";
import { isStuckAtGate } from "../core/attend/ungating.ts";
import type { Gang } from "./gang.ts";
import type { GangGroup } from "./gang_group.ts";
import { untriedFrom } from "./untried.ts";

/** Below that of every pod. */
export const lowestPriority = -(2 ** 31) - 1;

/**
 * Whether a group is planned for when all others are, and nobody leaves for it. One that was let in keeps its room until its
 * members have been tried; `now` is in ms since the epoch.
 */
export function isPlannedLast(group: GangGroup, now: number): boolean {
  if (now >= untriedFrom(group)) return true;
  const { gangs, attended } = group;
  if (isStuckAtGate(attended, now)) return true;
  if (now < triedUntil(attended)) return false;
  if (gangs.some(({ lists }) => lists.sizeOf("held") > 0)) return false;
  return gangs.some(hasTooFew);
}

/** Whether fewer are left than it needs. */
function hasTooFew(gang: Gang): boolean {
  const { lists } = gang;
  const refused = lists.sizeOf("beyond room");
  if (refused === 0) return false;
  const members = lists.sizeOf("pending") + lists.sizeOf("gated") + lists.sizeOf("bound");
  return members - refused < gang.read().spec.minMember;
}
