/**
 * Why something was decided: shared by answers, events, logs and metrics.
 *
 * @module
 */

/** Every reason an answer may carry. */
export const reasons = [
  /** The gang is whole and may be tried by the scheduler. */
  "Admitted",
  /** Quorum: the held members may bind. */
  "Satisfied",
  /** Members run, but fewer than the gang needs (S4). */
  "Degraded",
  /** Held members wait for their siblings to be held. */
  "WaitingForMembers",
  /** Fewer members exist than minMember. */
  "MembersMissing",
  /** Enough members exist, but foreign scheduling gates keep too many of them back. */
  "MembersGated",
  /** Too few members are left without those that name a scheduler that is not Muster's. */
  "SchedulerMismatch",
  /** A gang of the gang group has no members yet. */
  "GroupIncomplete",
  /** The members that are still needed do not fit on the cluster now. */
  "InsufficientResources",
  /** Its gang group starts without it, and there is no room for all of it. */
  "LeftOut",
  /** A gang ahead in the queue is protected from being passed. */
  "BehindInQueue",
  /** A policy of the cluster's own lets it wait. */
  "CustomPolicy",
  /** The scheduler could not place a member, so quorum is out of reach in this round. */
  "MemberUnschedulable",
  /** A held member was lost before quorum. */
  "MemberLost",
  /** Another gang came while this one was incomplete (S0). */
  "GangSwitched",
  /** The wait was over before quorum. */
  "TimedOut",
  /** The gang timed out for good (S3). */
  "Parked",
  /** The gang's declaration is not usable. */
  "InvalidGang",
  /** The gang does not exist any more. */
  "Gone",
] as const;

/** One of {@linkcode reasons}. */
export type Reason = (typeof reasons)[number];
