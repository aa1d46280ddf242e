/**
 * Why a gang is where it is: one sentence for each situation, wherever it is read (conditions, events, answers, command
 * line, page). No two situations share a sentence.
 *
 * @module
 */
import {
  type Ahead,
  type Fit,
  type GangFacts,
  gangId,
  type Group,
  type LossCause,
  type MemberFailure,
  type PolicyWord,
} from "../gang/facts.ts";
import type { StartEstimate } from "../gang/gang_times.ts";
import { limits } from "../gang/limits.ts";
import { insufficientResources } from "./insufficient_resources.ts";
import type { Reason } from "./reason.ts";
import { startText } from "./start_text.ts";
import { rootCause } from "./root_cause.ts";
import { count, listed, named, quoted, shortened } from "./text.ts";

/** What makes a gang wait, or lets it go on. `title` is {@linkcode title} of its group, `gang` is `namespace/name`. */
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
  | {
    readonly reason: "Degraded";
    readonly gang: string;
    readonly left: number;
    /** Being deleted: the others may follow. */
    readonly terminating: number;
    readonly minMember: number;
  }
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

interface LeftOut {
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

interface MembersMissing {
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

interface SchedulerMismatch {
  readonly reason: "SchedulerMismatch";
  readonly gang: string;
  readonly minMember: number;
  readonly found: number;
  /** One of the members that wait for another scheduler, and how many others do. */
  readonly foreign: NonNullable<GangFacts["foreign"]>;
  readonly others: number;
}

interface TimedOut {
  readonly reason: "TimedOut";
  readonly title: string;
  readonly seconds: number;
  /** Members that had a node, of how many the quorum asks for. */
  readonly placed: number;
  readonly minMember: number;
  readonly isParked: boolean;
}

/** The situation's reason, and its sentence: what is missing or who is ahead, and what would help. */
export function whyPending<S extends Situation>(
  situation: S,
): { reason: S["reason"]; message: string } {
  return { reason: situation.reason, message: shortened(sentence(situation), limits.sentence) };
}

function sentence(now: Situation): string {
  switch (now.reason) {
    case "InvalidGang":
      return now.problem;
    case "Parked":
      return `gang ${now.gang} timed out and is parked: delete its pods, or remove the timeout annotation`;
    case "GroupIncomplete":
      return `the gang group waits for ${
        listed(now.absent)
      }: no pods of it exist yet, only of ${now.title}`;
    case "MembersMissing":
      return membersMissing(now);
    case "MembersGated":
      return `gang ${now.gang} has ${now.found} of ${now.minMember} members${
        ofRole(now)
      } ready: ${now.gated} more ${
        now.gated === 1 ? "waits" : "wait"
      } behind scheduling gates of others`;
    case "SchedulerMismatch":
      return schedulerMismatch(now);
    case "InsufficientResources":
      return insufficientResources(now);
    case "LeftOut":
      return leftOut(now);
    case "BehindInQueue":
      return `${now.title} waits behind gang ${now.ahead.gang}, which is kept from being passed since ${now.ahead.since}`;
    case "CustomPolicy":
      return `${now.title} is kept waiting by policy${
        now.policy.reason === undefined ? "" : ` ${now.policy.reason}`
      }: ${now.policy.message}`;
    case "MemberUnschedulable":
      return `gang ${now.gang} can not become whole: ${rootCause(now.failed)}`;
    case "MemberLost":
      return `gang ${now.gang} lost its held member ${now.pod}: ${
        now.by === undefined ? causes[now.cause] : `it was let go for ${now.by}`
      }`;
    case "GangSwitched":
      return `${now.title} was let go, incomplete, when gang ${now.other} came`;
    case "TimedOut":
      return timedOut(now);
    case "WaitingForMembers":
      return `${now.title} holds ${
        count(now.held, "member")
      } and waits for ${now.need} more to find a node${
        now.failed.length > 0 ? `; ${rootCause(now.failed)}` : ""
      }`;
    case "Degraded":
      return `gang ${now.gang} runs with ${now.left} of ${now.minMember} members: ${
        now.terminating > 0
          ? `${now.terminating} being deleted`
          : "the others are gone, so create them anew or delete the gang"
      }`;
    case "Satisfied":
      return `${now.title} is satisfied${
        now.kept ? `; ${count(now.kept, "held member")} of it can not bind without others` : ""
      }`;
    case "Admitted":
      return `${now.title} may be scheduled`;
    case "Gone":
      return `${now.title} is forgotten: its last pod is gone`;
    case "JustSeen":
      return `gang ${now.gang} has just been seen and is being looked at`;
    case "JustLost":
      return `gang ${now.gang} has lost members that it needs and is being looked at again`;
    case "NoPlace":
      return `gang ${named(now.gang)} has no room for one more member where it is to run`;
    case "Replanned":
      return `gang ${
        named(now.gang)
      } is planned anew, because the scheduler does not take this member on ${listed(now.places)}`;
    case "NotOffered":
      return `gang ${named(now.gang)} is planned on ${listed(now.places)}, which ${
        now.places.length === 1 ? "is" : "are"
      } not among the ${now.offered} nodes that the scheduler looked at: set its percentageOfNodesToScore to 100`;
    case "PlannedElsewhere":
      return `gang ${named(now.gang)} is planned anew: ${now.node} is not for this member any more`;
    case "Surplus":
      return `gang ${now.gang} needs no more members before gang ${now.other} of its group is whole`;
    case "FunctionsUnreachable":
      return `${now.title} waits: ${
        now.url === undefined ? "" : `the policy functions at ${now.url} do not answer: `
      }${shortened(now.error, limits.quotation)}`;
    case "FactsRefused":
      return `${now.title} waits: the policy functions do not take the facts about it: ${
        shortened(now.error, limits.quotation)
      }`;
    case "LetGo":
      return `${now.title} was let go for ${now.to}`;
  }
}

function leftOut({ gang, part, composite, min, of, fit }: LeftOut): string {
  const waits = part === undefined
    ? titleOf([gang])
    : `${titleOf([gang])} waits: ${compositeText(part)}`;
  const start = fit
    ? insufficientResources({ title: waits, needed: fit.of, fit })
    : `${titleOf([gang])} waits`;
  return `${start}; ${compositeText(composite)} starts with ${min} of its ${of} groups`;
}

function compositeText(name: string): string {
  return `CompositePodGroup ${quoted(name)}`;
}

function membersMissing(now: MembersMissing): string {
  const others = [
    now.failed > 0 && `${now.failed} failed`,
    now.terminating > 0 && `${now.terminating} being deleted`,
    now.gated > 0 && `${now.gated} behind scheduling gates of others`,
  ].filter((text) => text !== false);
  const missing = now.minMember - now.found;
  return `gang ${now.gang} has ${now.found} of ${now.minMember} members${
    ofRole(now)
  }: waiting for ${missing} more ${missing === 1 ? "pod" : "pods"} to be created${
    others.length > 0 ? `, not counting ${others.join(", ")}` : ""
  }`;
}

function ofRole({ role }: { role?: string | undefined }): string {
  return role === undefined ? "" : ` of role ${named(role)}`;
}

function schedulerMismatch({ gang, minMember, found, foreign, others }: SchedulerMismatch): string {
  const { pod, scheduler, served } = foreign;
  const whose = others > 0 ? ` and ${others} more are` : " is";
  return `gang ${gang} has ${found} of ${minMember} members: pod ${pod} of scheduler ${
    quoted(scheduler)
  }${whose} not ` +
    `Muster's to place, so create ${others > 0 ? "them" : "it"} anew with spec.schedulerName "${
      served.join('" or "')
    }"`;
}

function timedOut({ title, seconds, placed, minMember, isParked }: TimedOut): string {
  return `${title} was let go: not all of its members found a node within ${seconds} s, only ${placed} of ${minMember}${
    isParked ? ", and it is parked" : ""
  }`;
}

const causes: Record<LossCause, string> = {
  "aborted": "the scheduler took its bind call back",
  "bind-failed": "the API server refused its binding",
  "deleted": "the pod was deleted",
  "gone": "the gang is gone",
};

/** A sentence about a gang group, and by whom members of it were preempted. */
export function withPreemption(message: string, { gangs }: Group): string {
  const facts = gangs.find(({ preempted }) => preempted);
  if (!facts?.preempted) return message;
  const { members, by } = facts.preempted;
  const whose = gangs.length > 1 ? ` of gang ${named(gangId(facts.gang))}` : "";
  const were = members === 1 ? "was" : "were";
  const preemption = `; ${count(members, "member")}${whose} ${were} preempted by ${by}`;
  return shortened(message, limits.sentence - preemption.length) + preemption;
}

/** A sentence about a gang group that waits for room, and when it is going to start. */
export function withEstimate(message: string, estimate: StartEstimate): string {
  const start = `; it is expected to start at ${startText(estimate)}`;
  return shortened(message, limits.sentence - start.length) + start;
}

/** What would help a gang that waits for such a reason; undefined where nothing needs to be done. */
export function whatHelps(reason: Reason, gang: string): string | undefined {
  return helps[reason]?.replace("<gang>", gang);
}

/** Whether a gang that waits for such a reason goes on without anybody doing anything. */
export function goesOnByItself(reason: string): boolean {
  return goingOn.includes(reason);
}

const goingOn: readonly string[] = [
  "BehindInQueue",
  "MembersGated",
  "WaitingForMembers",
  "MemberLost",
  "GangSwitched",
];

const helps: Partial<Record<Reason, string>> = {
  InvalidGang: "mend what its pods or its PodGroup declare",
  Parked: "remove the timeout annotation (kubectl muster unpark <gang>), or delete its pods",
  GroupIncomplete: "create the pods of the other gangs, or declare the gang group without them",
  MembersMissing: "create the missing pods, or lower minMember",
  SchedulerMismatch:
    "create the pods of other schedulers anew with a spec.schedulerName that Muster serves, or lower minMember",
  MembersGated: "whoever put the other scheduling gates on its pods has to remove them",
  InsufficientResources:
    "wait until other pods end, add nodes (to try it: kubectl muster simulate --help), or ask for less",
  LeftOut:
    "wait until other pods end, or add nodes (to try it: kubectl muster simulate --help); its group runs without it",
  BehindInQueue: "wait until the gang ahead has started, or give this one a higher priority",
  CustomPolicy: "do what the policy says; the gang is asked about again by itself",
  MemberUnschedulable:
    "mend what the scheduler says of the member; the gang is tried again by itself",
  MemberLost: "nothing, unless it happens again and again; the gang is tried again by itself",
  GangSwitched: "nothing; the gang is tried again by itself",
  TimedOut:
    "look at the members without a node; the gang is tried again by itself unless it is parked",
  WaitingForMembers: "look at the members without a node, until the deadline",
  Degraded: "create the lost pods anew, or delete the gang",
};

/** `gang ns/a`, or `gang group ns/a, ns/b and 98 more`, by the gangs' `namespace/name`. */
export function titleOf(gangs: readonly string[]): string {
  return gangs.length === 1 ? `gang ${named(gangs[0]!)}` : `gang group ${listed(gangs.toSorted())}`;
}

/** {@linkcode titleOf} the gangs of a group. */
export function title(group: Group): string {
  return titleOf(group.gangs.map((facts) => gangId(facts.gang)));
}
