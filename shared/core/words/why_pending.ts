/**
 * Why a gang is where it is: one sentence for each situation, wherever it is read (conditions, events, answers, command
 * line, page). No two situations share a sentence.
 *
 * @module
 */
import { gangId, type Group, type LossCause } from "../gang/facts.ts";
import type { StartEstimate } from "../gang/gang_times.ts";
import { limits } from "../gang/limits.ts";
import { insufficientResources } from "./insufficient_resources.ts";
import type { Reason } from "./reason.ts";
import { startText } from "./start_text.ts";
import { rootCause } from "./root_cause.ts";
import type {
  Degraded,
  LeftOut,
  MembersMissing,
  SchedulerMismatch,
  Situation,
  TimedOut,
} from "./situation.ts";
import { count, listed, named, quoted, shortened } from "./text.ts";

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
      return `gang ${now.gang} has ${now.found} of ${now.minMember} members${ofRole(now)} ready: ${
        moreWait(now.gated)
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
      return degraded(now);
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

/** What a composite is called in a sentence. */
export function compositeText(name: string): string {
  return `CompositePodGroup ${quoted(name)}`;
}

function membersMissing(now: MembersMissing): string {
  const others = [
    now.failed > 0 && `${now.failed} failed`,
    now.terminating > 0 && `${now.terminating} being deleted`,
    now.gated > 0 && `${now.gated} behind scheduling gates of others`,
  ].filter((text) => text !== false);
  const missing = count(now.minMember - now.found, "more pod");
  return `gang ${now.gang} has ${now.found} of ${now.minMember} members${
    ofRole(now)
  }: waiting for ${missing} to be created${
    others.length > 0 ? `, not counting ${others.join(", ")}` : ""
  }`;
}

function degraded(now: Degraded): string {
  const { left, minMember, waiting, gated, terminating } = now;
  const gone = minMember - left - waiting - gated;
  const others = [
    waiting > 0 && `${moreWait(waiting)} for a node`,
    gated > 0 && `${gated} behind scheduling gates of others`,
    gone > 0 &&
    (terminating > 0
      ? `${terminating} being deleted${terminating < gone ? ", the others are gone" : ""}`
      : "the others are gone, so create them anew or delete the gang"),
  ].filter((text) => text !== false);
  return `gang ${now.gang} runs with ${left} of ${minMember} members${ofRole(now)}: ${
    others.join(", ")
  }`;
}

/** `1 more waits`, `2 more wait`. */
function moreWait(number: number): string {
  return `${number} more ${number === 1 ? "waits" : "wait"}`;
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
  "node-lost": "its node is gone, or has a taint NoExecute that it does not tolerate",
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

/** A sentence about a gang group that nothing but room keeps from being scheduled, and why the scheduler does not try it. */
export function withUntried(
  message: string,
  { reason, untried, atGate }: {
    reason: Reason;
    untried?: boolean | undefined;
    atGate?: boolean | undefined;
  },
): string {
  if (!(untried || atGate) || !triable.includes(reason)) return message;
  const why = `${reason === "Admitted" ? ", but" : ";"} ${atGate ? gatesStay : notTried}`;
  return shortened(message, limits.sentence - why.length) + why;
}

const triable: readonly Reason[] = [
  "Admitted",
  "Degraded",
  "InsufficientResources",
  "BehindInQueue",
];

const notTried =
  "the scheduler has not tried its members: see whether the ResourceClaims that they name are there, and whether their scheduler runs";

const gatesStay =
  "the API server refuses to remove Muster's scheduling gates from its members, as their events GateNotRemoved say";

/** `gang ns/a`, or `gang group ns/a, ns/b and 98 more`, by the gangs' `namespace/name`. */
export function titleOf(gangs: readonly string[]): string {
  return gangs.length === 1 ? `gang ${named(gangs[0]!)}` : `gang group ${listed(gangs.toSorted())}`;
}

/** {@linkcode titleOf} the gangs of a group. */
export function title(group: Group): string {
  return titleOf(group.gangs.map((facts) => gangId(facts.gang)));
}
