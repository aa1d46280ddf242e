/**
 * The arithmetic of a gang's quorum.
 *
 * @module
 */
import type { GangFacts, Group, MatchPolicy } from "./facts.ts";
import { gangId } from "./facts.ts";
import type { Settings } from "./settings.ts";

/** The settings that rule how members are counted. */
export type QuorumSettings = Pick<Settings, "matchPolicy">;

/** Members that have a node or a held call for one, as the gang's match policy counts them (S3). */
export function placed(facts: GangFacts, settings: QuorumSettings): number {
  return matchPolicyOf(facts, settings) === "only-waiting"
    ? facts.held.length
    : facts.held.length + facts.census.bound;
}

/** Members that have a node or may still get one. */
export function alive(facts: GangFacts): number {
  return facts.held.length + facts.census.bound + facts.census.pending;
}

/** Further members that must be held before the gang may bind; 0: it is satisfied. */
export function missing(facts: GangFacts, settings: QuorumSettings): number {
  if (isOnceSatisfied(facts, settings)) return 0;
  return Math.max(0, facts.gang.minMember - placed(facts, settings) - countedSucceeded(facts));
}

/** Members that count towards the quorum, or may still come to. */
export function reachable(facts: GangFacts, settings: QuorumSettings): number {
  return placed(facts, settings) + facts.census.pending + countedSucceeded(facts);
}

/** S4: succeeded members count only when fewer than minMember could come otherwise. */
function countedSucceeded(facts: GangFacts): number {
  return alive(facts) < facts.gang.minMember ? facts.census.succeeded : 0;
}

/** Whether gang rules bind no longer, because a member is bound: After Gang and failover in one rule (S3). */
export function isOnceSatisfied(facts: GangFacts, settings: QuorumSettings): boolean {
  return matchPolicyOf(facts, settings) === "once-satisfied" && facts.census.bound > 0;
}

/** Members that are not there, before minMember can be reached at all; 0 for a gang with bound members (After Gang). */
export function absent(facts: GangFacts): number {
  if (facts.census.bound > 0) return 0;
  return Math.max(0, facts.gang.minMember - alive(facts) - facts.census.succeeded);
}

/** Gangs that the group names, but that nobody has reported. */
export function unknownGangs(group: Group): string[] {
  const known = new Set(group.gangs.map((facts) => gangId(facts.gang)));
  const named = new Set(group.gangs.flatMap((facts) => facts.gang.groups ?? []));
  return [...named].filter((id) => !known.has(id)).sort();
}

/** Further members that must be held before the group may bind; 0 only if every gang of it is satisfied. */
export function groupMissing(group: Group, settings: QuorumSettings): number {
  return group.gangs.reduce((sum, facts) => sum + missing(facts, settings), 0);
}

/** The longest wait that a gang of the group asks for, in seconds. */
export function waitSeconds(group: Group, settings: Settings): number {
  return Math.max(...group.gangs.map((facts) => facts.gang.waitSeconds ?? settings.waitSeconds));
}

function matchPolicyOf(facts: GangFacts, settings: QuorumSettings): MatchPolicy {
  return facts.gang.matchPolicy ?? settings.matchPolicy;
}
