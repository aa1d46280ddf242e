/**
 * What stands in the way of one gang, whatever the scheduler does.
 *
 * @module
 */
import { type GangFacts, gangId } from "../gang/facts.ts";
import { absent, absentInRole, missing } from "../gang/quorum.ts";
import { censusOf, leavesOf, rolesOf } from "../gang/roles.ts";
import type { Settings } from "../gang/settings.ts";
import type { Reason } from "../words/reason.ts";
import { whyPending } from "../words/why_pending.ts";

/** Why a gang, or its group, can not become whole as it is now. */
export interface Obstacle {
  readonly reason: Reason;
  readonly message: string;
  /** Further members without which it stays. */
  readonly need?: number | undefined;
}

/** The first of those that are here. */
export function gangObstacle(
  facts: GangFacts,
  settings: Pick<Settings, "matchPolicy">,
): Obstacle | undefined {
  return invalid(facts) ?? parked(facts) ?? misplaced(facts, settings) ?? short(facts);
}

/** What the dialect reader found wrong. */
export function invalid(facts: GangFacts): Obstacle | undefined {
  return facts.problem && whyPending({ reason: "InvalidGang", problem: facts.problem.message });
}

/** It timed out for good (S3). */
export function parked(facts: GangFacts): Obstacle | undefined {
  return facts.parked ? whyPending({ reason: "Parked", gang: gangId(facts.gang) }) : undefined;
}

/** Members of another scheduler without which it can not become whole. */
export function misplaced(
  facts: GangFacts,
  settings: Pick<Settings, "matchPolicy">,
): Obstacle | undefined {
  return mismatch(facts, missing(facts, settings) - facts.census.pending);
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

/** Too few members (S0 to S4). */
export function short(facts: GangFacts): Obstacle | undefined {
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
