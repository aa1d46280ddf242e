/**
 * PostFilter: what becomes of a round when the scheduler can not place a member.
 *
 * @module
 */
import { type GangFacts, gangId, type Group, type MemberFailure } from "../gang/facts.ts";
import { isOnceSatisfied, isOutOfReach, missing } from "../gang/quorum.ts";
import type { Settings } from "../gang/settings.ts";
import { whyPending } from "../words/why_pending.ts";
import { neededOf } from "./needed.ts";
import { obstacle } from "./obstacle.ts";
import { type Decided, failRound, isClosed, permit } from "./permit.ts";
import type { GroupState } from "./state.ts";

/** What postfilter is asked. */
export interface PostfilterEvent {
  readonly stage: "postfilter";
  readonly group: Group;
  /** All members that the scheduler's own plugins refuse now. */
  readonly failed: readonly MemberFailure[];
  readonly settings: Settings;
}

/**
 * Strict: the round fails when too few members can still come (S3; there, when any fails), and siblings learn the root cause,
 * unless the group can do without their gang: then that one is let go. NonStrict, and otherwise, as permit.
 */
export function postfilter(state: GroupState, event: PostfilterEvent, now: number): Decided {
  const { group, settings } = event;
  const isObstructed = obstacle(group, settings) !== undefined;
  if (settings.memberFailure === "let-nobody-go" || isClosed(state, now) || isObstructed) {
    return permit(state, event, now);
  }

  const lost = new Map<string, MemberFailure[]>();
  for (const facts of group.gangs) {
    const failed = failuresOf(facts, event);
    if (facts.gang.mode === "NonStrict") continue;
    if (failed.length === 0 || isTolerable(facts, failed, settings)) continue;
    lost.set(gangId(facts.gang), failed);
  }
  if (lost.size === 0) return permit(state, event, now);
  const gangs = new Set(lost.keys());
  const needed = neededOf(group, { settings, hopeless: gangs }).group.gangs.map(({ gang }) => gang);
  const broken = needed.find((gang) => gangs.has(gangId(gang)));
  if (!broken) return permit(state, { ...event, hopeless: gangs }, now);
  const gang = gangId(broken);
  const why = whyPending({ reason: "MemberUnschedulable", gang, failed: lost.get(gang)! });
  return failRound(state, { group, settings, ...why }, now);
}

/** Whether the round goes on although members failed. */
function isTolerable(
  facts: GangFacts,
  failed: readonly MemberFailure[],
  settings: Settings,
): boolean {
  if (missing(facts, settings) === 0) return true;
  const mayFail = settings.memberFailure === "fail-round" || isOnceSatisfied(facts, settings);
  return mayFail && !isOutOfReach(facts, failed, settings);
}

function failuresOf(facts: GangFacts, event: PostfilterEvent): MemberFailure[] {
  if (event.group.gangs.length === 1) return [...event.failed];
  return event.failed.filter((failure) => failure.gang === gangId(facts.gang));
}
