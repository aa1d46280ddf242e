/**
 * When plans are made again: after what happened, or by time alone.
 *
 * @module
 */
import type { Attended } from "./attended.ts";
import { hasNoUseForRoom } from "./standing.ts";
import type { GroupEvent } from "./event.ts";
import { nextPromiseAt } from "./promise.ts";
import { isUnplaced } from "./refusal.ts";
import { nextForgottenAt } from "./refused_nodes.ts";
import { times } from "./times.ts";
import { isStuckAtGate } from "./ungating.ts";
import { nextEvictionAt } from "./vain_evictions.ts";

/** Whether plans are made again after an event of a group: they were made of other members, or for other needs. */
export function isPlannedAfter(
  event: GroupEvent,
  { before, after }: { before: Attended; after: Attended },
): boolean {
  switch (event.is) {
    case "look":
    case "planned":
    case "answered":
    case "unanswered":
    case "asked about":
    case "unlisted":
    case "ungated":
      return isOtherwisePlanned(before, after);
    case "ungating":
      return isStuckAtGate(after, after.ungatedAt!) || isOtherwisePlanned(before, after);
    case "refused":
      return isUnplaced(event.refusal.reason) || isFirstTried(before, after) ||
        isOtherwisePlanned(before, after);
    default:
      return true;
  }
}

/** Whether pods may leave for a group from now on, because the scheduler is seen to try it. */
function isFirstTried(before: Attended, { refused, plan }: Attended): boolean {
  return before.refused.size === 0 && refused.size > 0 && !plan?.taken;
}

/** Whether a group is not to be planned as it was, or its room is others' now, or was theirs. */
function isOtherwisePlanned(before: Attended, after: Attended): boolean {
  return (before.plan !== undefined && after.plan === undefined) ||
    hasNoUseForRoom(before.standing) !== hasNoUseForRoom(after.standing);
}

/** So long after one plan began the next is made at the soonest, in ms; of one that took `tookMs` others want the processor. */
export function planRest(tookMs: number): number {
  return Math.max(times.planRest, tookMs * times.planRestPerPlan);
}

/** Until when the scheduler has tried the members of a group anew that was let in, in ms since the epoch; 0: it is not. */
export function triedUntil({ standing }: Attended): number {
  return standing.phase === "let in" ? standing.at + times.settled : 0;
}

/**
 * When it brings back nodes that the scheduler refused, starts that were promised, evictions, and room that groups kept, or has
 * tried a group's members, in ms since the epoch; Infinity: never.
 */
export function planAgainAt(
  groups: readonly { readonly attended: Attended }[],
  now: number,
): number {
  let next = Infinity;
  for (const { attended } of groups) {
    for (const at of [triedUntil(attended), attended.keepsUntil]) {
      if (at > now && at < next) next = at;
    }
  }
  return Math.min(
    next,
    nextForgottenAt(groups, now),
    nextPromiseAt(groups, now),
    nextEvictionAt(groups, now),
  );
}
