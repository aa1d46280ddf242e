/**
 * A gang that runs with fewer members than it needs.
 *
 * @module
 */
import { type GangFacts, gangId, type Group } from "../gang/facts.ts";
import { gone, lost, lostInRole } from "../gang/quorum.ts";
import { censusOf, leavesOf, rolesOf } from "../gang/roles.ts";
import { whyPending } from "../words/why_pending.ts";
import { mismatch, type Obstacle } from "./gang_obstacle.ts";

/** What the first of its gangs that run has lost (S4); while members are needed before any may bind, only where some are gone. */
export function degraded(
  group: Group,
  { needed }: { needed: number },
): Pick<Obstacle, "reason" | "message"> | undefined {
  for (const facts of group.gangs) {
    const lacks = lost(facts);
    const absent = gone(facts);
    if ((needed > 0 ? absent : lacks) === 0) continue;
    return mismatch(facts, absent) ?? degradedBy(facts, { lacks, absent });
  }
  return undefined;
}

function degradedBy(
  facts: GangFacts,
  { lacks, absent }: { lacks: number; absent: number },
): Pick<Obstacle, "reason" | "message"> {
  const gang = gangId(facts.gang);
  // That of which it lacks all that it does, where it is one role alone.
  const role = leavesOf(rolesOf(facts)).find((role) => lostInRole(facts, role) === lacks);
  const { min: minMember, gated: all } = role
    ? { ...role, ...censusOf(facts, role.name) }
    : { min: facts.gang.minMember, gated: facts.census.gated };
  const gated = Math.min(all, absent);
  const { terminating } = facts.census;
  const numbers = {
    left: minMember - lacks,
    minMember,
    waiting: lacks - absent,
    gated,
    terminating,
  };
  return whyPending({ reason: "Degraded", gang, role: role?.name, ...numbers });
}
