/**
 * The arithmetic of a gang's quorum.
 *
 * @module
 */
import type { GangFacts, Group, MatchPolicy, MemberFailure } from "./facts.ts";
import type { RoleCensus } from "./topology.ts";
import { gangId } from "./facts.ts";
import { aliveIn, censusOf, leastOf, leavesOf, type RoleNode, rolesOf } from "./roles.ts";
import type { Settings } from "./settings.ts";

/** The settings that rule how members are counted. */
export type QuorumSettings = Pick<Settings, "matchPolicy">;

/** Members that have a node or a held call for one, as the gang's match policy counts them (S3). */
function placed(facts: GangFacts, settings: QuorumSettings): number {
  return isOnlyWaiting(facts, settings)
    ? facts.held.length
    : facts.held.length + facts.census.bound;
}

/** Of minMember so many are placed; members beyond what a role needs stand for none of another. */
export function placedOfMin(facts: GangFacts, settings: QuorumSettings): number {
  const { minMember } = facts.gang;
  return Math.max(0, Math.min(placed(facts, settings), minMember - missing(facts, settings)));
}

/** Members that have a node or may still get one. */
function alive(facts: GangFacts): number {
  return facts.held.length + facts.census.bound + facts.census.pending;
}

/** Members that are there, wherever they are, or have done their work. */
export function present(facts: GangFacts): number {
  return alive(facts) + facts.census.succeeded;
}

/** Further members that must be held before the gang may bind, those that each role needs among them; 0: it is satisfied. */
export function missing(facts: GangFacts, settings: QuorumSettings): number {
  const lacks = (role: RoleNode) => missingInRole(facts, role, settings);
  const inRoles = ofRoles(facts, lacks);
  if (isOnceSatisfied(facts, settings)) return inRoles;
  const inAll = facts.gang.minMember - placed(facts, settings) - countedSucceeded(facts);
  const count = ({ held }: RoleCensus) => held;
  const mayCome = ({ pending }: RoleCensus) => pending;
  return Math.max(inRoles, withoutIdle(inAll, facts, { lacks, count, mayCome }));
}

/** What all roles that a gang needs take at the least, by what one takes that has none within it. */
function ofRoles(facts: GangFacts, ofLeaf: (role: RoleNode) => number): number {
  return rolesOf(facts).reduce((sum, role) => sum + leastOf(role, ofLeaf), 0);
}

/**
 * Further members of a role that has none within it. Once its gang is satisfied, a role is as soon as one of its members is
 * bound, and while it has none that could be.
 */
function missingInRole(
  facts: GangFacts,
  { name, min }: RoleNode,
  settings: QuorumSettings,
): number {
  const role = censusOf(facts, name);
  const isLeft = isOnceSatisfied(facts, settings) && (role.bound > 0 || aliveIn(role) === 0);
  if (isLeft) return 0;
  const bound = isOnlyWaiting(facts, settings) ? 0 : role.bound;
  return lackingBeside(role, { min, bound });
}

function lackingBeside(role: RoleCensus, { min, bound }: { min: number; bound: number }): number {
  const succeeded = aliveIn(role) < min ? role.succeeded : 0;
  return Math.max(0, min - role.held - bound - succeeded);
}

/**
 * The roles whose members may not bind yet, because they, or a role that they are within, lack some; of a gang that is satisfied
 * none of which members are bound. Of each whether as many as it takes may still come, those that failed not among them.
 */
export function incompleteRoles(
  facts: GangFacts,
  settings: QuorumSettings,
  failed: readonly Pick<MemberFailure, "role">[] = [],
): ReadonlyMap<string, boolean> {
  const lacks = (role: RoleNode) => missingInRole(facts, role, settings);
  const runs = ({ name }: RoleNode) =>
    isOnceSatisfied(facts, settings) && censusOf(facts, name).bound > 0;
  return new Map(
    lackingRoles(facts, lacks).flatMap((role) => {
      const isToCome = !isRoleOutOfReach(role, facts, { failed, settings });
      const leaves = leavesOf([role]).filter((leaf) => !runs(leaf));
      return leaves.map(({ name }) => [name, isToCome] as const);
    }),
  );
}

/** Whether fewer may come than a role lacks. */
function isRoleOutOfReach(
  role: RoleNode,
  facts: GangFacts,
  { failed, settings }: {
    failed: readonly Pick<MemberFailure, "role">[];
    settings: QuorumSettings;
  },
): boolean {
  const lacks = (leaf: RoleNode) => missingInRole(facts, leaf, settings);
  const mayCome = ({ name, pending }: RoleCensus) =>
    pending - failed.filter(({ role }) => role === name).length;
  return comingTo(role, facts, { lacks, mayCome }) === Infinity;
}

/** What a role takes at the least of those that may come; Infinity: they are too few. */
function comingTo(
  role: RoleNode,
  facts: GangFacts,
  { lacks, mayCome }: Pick<Coming, "lacks" | "mayCome">,
): number {
  return leastOf(
    role,
    (leaf) => lacks(leaf) > mayCome(censusOf(facts, leaf.name)) ? Infinity : lacks(leaf),
  );
}

/** Those that lack members, and are within no other that does. */
function lackingRoles(
  facts: GangFacts,
  lacks: (leaf: RoleNode) => number,
): readonly RoleNode[] {
  const within = (role: RoleNode): readonly RoleNode[] =>
    leastOf(role, lacks) > 0 ? [role] : role.within.flatMap(within);
  return rolesOf(facts).flatMap(within);
}

/** What roles lack, and which members of theirs there are. */
interface Idle {
  readonly lacks: (leaf: RoleNode) => number;
  readonly count: (role: RoleCensus) => number;
}

interface Coming extends Idle {
  /** So many more of a role may. */
  readonly mayCome: (role: RoleCensus) => number;
}

/** Members of roles that lack some, where the gang can do without these: they stand for nobody, since they do not start. */
function ofNoUse(facts: GangFacts, { lacks, count }: Idle): number {
  return idleIn(lackingRoles(facts, lacks), facts, count);
}

function idleIn(roles: readonly RoleNode[], facts: GangFacts, count: Idle["count"]): number {
  return leavesOf(roles).reduce((sum, { name }) => sum + count(censusOf(facts, name)), 0);
}

/**
 * What a gang lacks that lacks so many in all, where members of roles that lack some stand for nobody: as many more as they are, or
 * what their roles take, if that may come and is less.
 */
function withoutIdle(
  inAll: number,
  facts: GangFacts,
  { lacks, count, mayCome }: Coming,
): number {
  const idle = lackingRoles(facts, lacks).filter((role) => idleIn([role], facts, count) > 0);
  const takes = (role: RoleNode) => comingTo(role, facts, { lacks, mayCome });
  const vain = idle.filter((role) => takes(role) === Infinity);
  const least = Math.max(inAll + idleIn(vain, facts, count), Math.min(...idle.map(takes)));
  return Math.min(inAll + idleIn(idle, facts, count), least);
}

/** Members that count towards the quorum, or may still come to. */
function reachable(facts: GangFacts, settings: QuorumSettings): number {
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

/** Whether members that are bound do not count. */
export function isOnlyWaiting(facts: GangFacts, settings: QuorumSettings): boolean {
  return matchPolicyOf(facts, settings) === "only-waiting";
}

/** Members that are not there, before minMember can be reached at all; 0 for a gang with bound members (After Gang). */
export function absent(facts: GangFacts): number {
  if (facts.census.bound > 0) return 0;
  const lacks = (role: RoleNode) => absentInRole(facts, role);
  const inRoles = ofRoles(facts, lacks);
  const inAll = facts.gang.minMember - present(facts);
  const mayCome = () => Infinity;
  return Math.max(inRoles, withoutIdle(inAll, facts, { lacks, count: aliveIn, mayCome }));
}

/** Members of a role that are not there, before its minimum can be reached. */
export function absentInRole(facts: GangFacts, { name, min }: RoleNode): number {
  const role = censusOf(facts, name);
  return Math.max(0, min - aliveIn(role) - role.succeeded);
}

/** What a gang that runs lacks for its minimum and those of its roles, however few it goes on with; 0: it is whole, or does not run. */
export function lost(facts: GangFacts): number {
  const { gang: { minMember }, census: { bound }, held } = facts;
  if (bound === 0) return 0;
  const inAll = minMember - held.length - bound - countedSucceeded(facts);
  return Math.max(0, inAll, ofRoles(facts, (role) => lostInRole(facts, role)));
}

/** The same of a role that has none within it. */
export function lostInRole(facts: GangFacts, { name, min }: RoleNode): number {
  const role = censusOf(facts, name);
  return lackingBeside(role, { min, bound: role.bound });
}

/** Of what a gang that runs has lost those that are not there, and wait for no node. */
export function gone(facts: GangFacts): number {
  const inAll = facts.gang.minMember - present(facts);
  const inRoles = ofRoles(facts, (role) => absentInRole(facts, role));
  return facts.census.bound === 0 ? 0 : Math.max(0, inAll, inRoles);
}

/** Whether quorum is out of reach without these of a gang's members. */
export function isOutOfReach(
  facts: GangFacts,
  failed: readonly Pick<MemberFailure, "role">[],
  settings: QuorumSettings,
): boolean {
  if (isOnceSatisfied(facts, settings)) {
    return rolesOf(facts).some((role) => isRoleOutOfReach(role, facts, { failed, settings }));
  }
  const failedIn = (name: string) => failed.filter(({ role }) => role === name).length;
  const lacks = (role: RoleNode) => {
    const census = censusOf(facts, role.name);
    const left = aliveIn(census) + census.succeeded - failedIn(role.name);
    return Math.max(0, role.min - left);
  };
  if (ofRoles(facts, lacks) > 0) return true;
  const left = reachable(facts, settings) - failed.length;
  const count = ({ name, pending, held }: RoleCensus) =>
    Math.max(0, pending + held - failedIn(name));
  return left - ofNoUse(facts, { lacks, count }) < facts.gang.minMember;
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
