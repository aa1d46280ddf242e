/**
 * What stands in the way of a gang group, whatever the scheduler does: the rules that prefilter and permit share.
 *
 * @module
 */
import { type GangFacts, gangId, type Group } from "./facts.ts";
import { absent, unknownGangs } from "./quorum.ts";
import type { Reason } from "./reason.ts";

/** Why a group can not become whole as it is now. */
export interface Obstacle {
  readonly reason: Reason;
  readonly message: string;
  /** Further members without which it stays. */
  readonly need?: number | undefined;
}

/** The first of: a problem, a parked gang, a gang of the group that is not there, too few members (S0 to S4). */
export function obstacle(group: Group): Obstacle | undefined {
  return unusable(group) ?? incomplete(group) ?? first(group, short);
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
  return facts.problem && { reason: "InvalidGang", message: facts.problem.message };
}

function parked(facts: GangFacts): Obstacle | undefined {
  return facts.parked
    ? {
      reason: "Parked",
      message: `gang ${
        gangId(facts.gang)
      } timed out and is parked: delete its pods, or remove the timeout annotation`,
    }
    : undefined;
}

function incomplete(group: Group): Obstacle | undefined {
  const gangs = unknownGangs(group);
  return gangs.length > 0
    ? {
      reason: "GroupIncomplete",
      message: `the gang group waits for ${gangs.join(", ")}: no pods of it exist yet`,
    }
    : undefined;
}

function short(facts: GangFacts): Obstacle | undefined {
  const need = absent(facts);
  if (need === 0) return undefined;
  const { gang, census } = facts;
  const found = gang.minMember - need;
  return census.gated >= need
    ? {
      reason: "MembersGated",
      message: `gang ${
        gangId(gang)
      } has ${found} of ${gang.minMember} members ready: ${census.gated} more wait behind scheduling gates of others`,
      need,
    }
    : {
      reason: "MembersMissing",
      message: `gang ${gangId(gang)} has ${found} of ${gang.minMember} members: waiting for ${
        pods(need)
      } to be created`,
      need,
    };
}

/** `1 more pod`, `2 more pods`. */
export function pods(count: number): string {
  return count === 1 ? "1 more pod" : `${count} more pods`;
}
