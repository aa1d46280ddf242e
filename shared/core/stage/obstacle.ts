/**
 * What stands in the way of a gang group, whatever the scheduler does: the rules that prefilter and permit share.
 *
 * @module
 */
import { type GangFacts, gangId, type Group } from "../gang/facts.ts";
import { absent, absentInRole, missing, unknownGangs } from "../gang/quorum.ts";
import { censusOf, leavesOf, rolesOf } from "../gang/roles.ts";
import type { Settings } from "../gang/settings.ts";
import type { Reason } from "../words/reason.ts";
import { title, whyPending } from "../words/why_pending.ts";

/** Why a group can not become whole as it is now. */
export interface Obstacle {
  readonly reason: Reason;
  readonly message: string;
  /** Further members without which it stays. */
  readonly need?: number | undefined;
}

/**
 * The first of: a problem, a parked gang, a gang of the group that is not there, members of another scheduler without which
 * it can not become whole, too few members (S0 to S4).
 */
export function obstacle(group: Group, settings: Settings): Obstacle | undefined {
  return unusable(group) ?? incomplete(group) ??
    first(group, (facts) => mismatch(facts, missing(facts, settings) - facts.census.pending)) ??
    first(group, short);
}

/** A problem or a parked gang, neither of which passes by waiting. */
export function unusable(group: Group): Obstacle | undefined {
  return first(group, invalid) ?? first(group, parked);
}

function first(
  group: Group,
  rule: (facts: GangFacts) => Obstacle | undefined,
): Obstacle | undefined {
  for (const facts of group.gangs) {
    const found = rule(facts);
    if (found) return found;
  }
  return undefined;
}

function invalid(facts: GangFacts): Obstacle | undefined {
  return facts.problem && whyPending({ reason: "InvalidGang", problem: facts.problem.message });
}

function parked(facts: GangFacts): Obstacle | undefined {
  return facts.parked ? whyPending({ reason: "Parked", gang: gangId(facts.gang) }) : undefined;
}

function incomplete(group: Group): Obstacle | undefined {
  const gangs = unknownGangs(group);
  return gangs.length > 0
    ? whyPending({ reason: "GroupIncomplete", title: title(group), absent: gangs })
    : undefined;
}

/** That members wait for another scheduler, where the gang lacks so many beside those that Muster can place. */
export function mismatch(facts: GangFacts, need: number): Obstacle | undefined {
  const { gang, census, foreign } = facts;
  if (!foreign || need <= 0) return undefined;
  const { minMember } = gang;
  const others = (census.foreign ?? 1) - 1;
  const known = { gang: gangId(gang), minMember, found: minMember - need, others, foreign };
  return { ...whyPending({ reason: "SchedulerMismatch", ...known }), need };
}

function short(facts: GangFacts): Obstacle | undefined {
  const need = absent(facts);
  if (need === 0) return undefined;
  const { gang, census } = facts;
  const { failed, terminating } = census;
  const lowest = leavesOf(rolesOf(facts));
  // That of which all is that is not there, where it is one role alone.
  const role = lowest.find((role) => absentInRole(facts, role) === need);
  const { min: minMember, gated } = role
    ? { ...role, ...censusOf(facts, role.name) }
    : { min: gang.minMember, gated: census.gated };
  const known = { gang: gangId(gang), role: role?.name, minMember, found: minMember - need, gated };
  const why = gated >= need
    ? whyPending({ reason: "MembersGated", ...known })
    : whyPending({ reason: "MembersMissing", ...known, failed, terminating });
  return { ...why, need };
}
