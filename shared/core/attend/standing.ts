/**
 * Whether the scheduler may try the members of a gang group, and what keeps them from it.
 *
 * @module
 */
import type { MemberFailure } from "../gang/facts.ts";
import type { Admission } from "../stage/decision.ts";
import type { SharedMap } from "./shared_map.ts";

/** What a member is told, and `GET /v1/gangs` says: policy's reasons, or that the functions can not be reached. */
export interface Why extends Omit<Admission, "verdict" | "reason"> {
  readonly reason: Admission["reason"] | "FunctionsUnreachable" | "FactsRefused";
}

/** Whether the scheduler may try its members: nothing is known yet, no, or yes. */
export type Standing = Collecting | Refused | LetIn;

/** Its members are being created, and the functions have not been asked. */
export interface Collecting {
  readonly phase: "collecting";
}

/** `filter` refuses its members. */
export interface Refused {
  readonly phase: "refused";
  readonly why: Why;
  /** In ms since the epoch, as all times here. */
  readonly since: number;
}

/** `filter` lets its members through. */
export interface LetIn {
  readonly phase: "let in";
  readonly why: Why;
  readonly at: number;
  /** How often its facts had been weakened when it was judged. */
  readonly judgedAt: number;
  /** Members that the scheduler's own plugins have refused since, by uid. */
  readonly failed: SharedMap<MemberFailure>;
  /** Some of them have not been reported. */
  readonly hasNewFailure: boolean;
  /** Kinds of which the scheduler has taken a member, by uid, on no node since the last look, for reasons that no plan knows of. */
  readonly untaken?: readonly (readonly [kind: string, uid: string])[] | undefined;
  /** Since when a member is refused by a cycle that may have begun before `at`; Infinity: none is. */
  readonly doubtedAt: number;
  /** Members that are bound or held when a gang needs no more, by gang; empty for a lone gang. */
  readonly quotas: ReadonlyMap<string, number>;
}

/** For these reasons a group has no use for room. */
const uselessFor: readonly string[] = [
  "Parked",
  "SchedulerMismatch",
  "FactsRefused",
  "CustomPolicy",
];

/** Reasons of rounds that failed. */
const failures: readonly string[] = [
  "MemberUnschedulable",
  "MemberLost",
  "GangSwitched",
  "TimedOut",
];

/** Whether room would do it no good: others have it meanwhile. */
export function hasNoUseForRoom(standing: Standing): boolean {
  return standing.phase === "refused" && uselessFor.includes(standing.why.reason);
}

/** Whether a policy of the cluster's own keeps it waiting. */
export function isKeptByPolicy(standing: Standing): boolean {
  return standing.phase === "refused" && standing.why.reason === "CustomPolicy";
}

/** Whether its round has failed just now, for which it is kept out for a moment. */
export function isPausing(standing: Standing): boolean {
  return standing.phase === "refused" && failures.includes(standing.why.reason);
}

/** Whether it was kept out for want of room. */
export function lacksRoom(standing: Standing): boolean {
  return standing.phase === "refused" && standing.why.reason === "InsufficientResources";
}

/** Whether members were missing when it was judged last. */
export function missedMembers(standing: Standing): boolean {
  return standing.phase === "refused" && standing.why.reason === "MembersMissing";
}
