/**
 * What a gang may be in, with all that its sentence says.
 *
 * @module
 */
import type { Ahead, Fit, GangFacts, LossCause, MemberFailure, PolicyWord } from "../gang/facts.ts";

/** What makes a gang wait, or lets it go on. `title` names its group (`title` of why_pending.ts), `gang` is `namespace/name`. */
export type Situation =
  | { readonly reason: "InvalidGang"; readonly problem: string }
  | { readonly reason: "Parked"; readonly gang: string }
  | { readonly reason: "GroupIncomplete"; readonly title: string; readonly absent: string[] }
  | MembersMissing
  | {
    readonly reason: "MembersGated";
    readonly gang: string;
    /** The numbers are of this role. */
    readonly role?: string | undefined;
    readonly minMember: number;
    readonly found: number;
    readonly gated: number;
  }
  | SchedulerMismatch
  | {
    readonly reason: "InsufficientResources";
    readonly title: string;
    readonly needed: number;
    readonly fit: Fit;
    /** A member that the scheduler takes on none of the nodes that have room. */
    readonly refused?: MemberFailure | undefined;
  }
  | LeftOut
  | { readonly reason: "BehindInQueue"; readonly title: string; readonly ahead: Ahead }
  | { readonly reason: "CustomPolicy"; readonly title: string; readonly policy: PolicyWord }
  | {
    readonly reason: "MemberUnschedulable";
    readonly gang: string;
    readonly failed: readonly MemberFailure[];
  }
  | {
    readonly reason: "MemberLost";
    readonly gang: string;
    readonly pod: string;
    readonly cause: LossCause;
    /** For whom it was let go, where it was. */
    readonly by?: string | undefined;
  }
  | { readonly reason: "GangSwitched"; readonly title: string; readonly other: string }
  | TimedOut
  | {
    readonly reason: "WaitingForMembers";
    readonly title: string;
    readonly held: number;
    readonly need: number;
    /** Members that the scheduler refuses, although the round goes on. */
    readonly failed: readonly MemberFailure[];
  }
  | Degraded
  | {
    readonly reason: "Satisfied";
    readonly title: string;
    /** Members that are held and may not bind yet, because their roles or gangs lack others. */
    readonly kept?: number | undefined;
  }
  | { readonly reason: "Admitted" | "Gone"; readonly title: string }
  | RelaySituation;

/** What only a relay knows: the policy functions have no part in it. */
export type RelaySituation =
  | { readonly reason: "JustSeen" | "JustLost"; readonly gang: string }
  | { readonly reason: "Surplus"; readonly gang: string; readonly other: string }
  | {
    readonly reason: "NoPlace" | "Replanned" | "NotOffered";
    readonly gang: string;
    /** Nodes that are planned for such a member, and how many the scheduler offers. */
    readonly places: readonly string[];
    readonly offered: number;
  }
  | { readonly reason: "PlannedElsewhere"; readonly gang: string; readonly node: string }
  | { readonly reason: "FactsRefused"; readonly title: string; readonly error: string }
  | {
    readonly reason: "FunctionsUnreachable";
    readonly title: string;
    /** Absent: the error says who does not answer. */
    readonly url?: string | undefined;
    readonly error: string;
  }
  | { readonly reason: "LetGo"; readonly title: string; readonly to: string };

/** A gang that its composite starts without. */
export interface LeftOut {
  readonly reason: "LeftOut";
  readonly gang: string;
  /** What is left out: the composite that the gang is in; absent: the gang alone. */
  readonly part?: string | undefined;
  /** What it is in starts with so many of its groups. */
  readonly composite: string;
  readonly min: number;
  readonly of: number;
  /** The room that there is for it; absent: it is not known. */
  readonly fit?: Fit | undefined;
}

/** Members that do not exist yet, or do not count. */
export interface MembersMissing {
  readonly reason: "MembersMissing";
  readonly gang: string;
  /** The numbers are of this role, except for those that do not count. */
  readonly role?: string | undefined;
  readonly minMember: number;
  readonly found: number;
  /** Behind scheduling gates of others, failed, and being deleted: they do not count. */
  readonly gated: number;
  readonly failed: number;
  readonly terminating: number;
}

/** A gang that runs with fewer members than it needs. */
export interface Degraded {
  readonly reason: "Degraded";
  readonly gang: string;
  /** The numbers are of this role, except for those being deleted. */
  readonly role?: string | undefined;
  readonly left: number;
  readonly minMember: number;
  /** Of those that it lacks: without a node, and behind scheduling gates of others. */
  readonly waiting: number;
  readonly gated: number;
  /** Being deleted: the others may follow. */
  readonly terminating: number;
}

/** Members that wait for another scheduler. */
export interface SchedulerMismatch {
  readonly reason: "SchedulerMismatch";
  readonly gang: string;
  readonly minMember: number;
  readonly found: number;
  /** One of the members that wait for another scheduler, and how many others do. */
  readonly foreign: NonNullable<GangFacts["foreign"]>;
  readonly others: number;
}

/** A round that ended at its deadline. */
export interface TimedOut {
  readonly reason: "TimedOut";
  readonly title: string;
  readonly seconds: number;
  /** Members that had a node, of how many the quorum asks for. */
  readonly placed: number;
  readonly minMember: number;
  readonly isParked: boolean;
}
