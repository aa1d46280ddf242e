/**
 * Permit: whether held members may bind.
 *
 * @module
 */
import { wholeGangs } from "../gang/composites.ts";
import { type GangFacts, gangId, type Group, type MemberFailure } from "../gang/facts.ts";
import {
  groupMissing,
  incompleteRoles,
  missing,
  placedOfMin,
  waitSeconds,
} from "../gang/quorum.ts";
import type { Settings } from "../gang/settings.ts";
import type { Reason } from "../words/reason.ts";
import { title, whyPending } from "../words/why_pending.ts";
import type { Decision } from "./decision.ts";
import { degraded } from "./degraded.ts";
import { gangObstacle } from "./gang_obstacle.ts";
import { neededOf } from "./needed.ts";
import { incomplete, obstacle, unusable } from "./obstacle.ts";
import type { GroupState, Round } from "./state.ts";

/** A relay asks again after this long at the latest, in seconds. */
const pollSeconds = 20;

/** What permit is asked. */
export interface PermitEvent {
  readonly stage: "permit";
  readonly group: Group;
  readonly settings: Settings;
}

/** What decides about held members, whichever stage asks. */
export interface PermitFacts extends Omit<PermitEvent, "stage"> {
  /** Members that the scheduler refuses; only postfilter knows them. */
  readonly failed?: readonly MemberFailure[] | undefined;
  /** Gangs that can not become whole in this round, by `namespace/name`; the group can do without them. */
  readonly hopeless?: ReadonlySet<string>;
}

/** The state after a stage, and its answer. */
export interface Decided {
  readonly state: GroupState;
  readonly outcome: Decision;
}

/**
 * Allows all held members once every gang of the group that it needs is satisfied (S0, S1, S3). Otherwise they wait for the
 * group's deadline (S0, S1; S3 WaitTime), unless the group can not become whole or its round has failed.
 */
export function permit(state: GroupState, event: PermitFacts, now: number): Decided {
  const { group, settings } = event;
  const needed = neededOf(group, event);
  const isUnusable = unusable(needed.group);
  if (!isUnusable && needed.absent.length === 0 && groupMissing(needed.group, settings) === 0) {
    return allowWhole(state, event, now);
  }

  const obstructed = isNonStrict(group)
    ? isUnusable ?? incomplete(group, needed.absent)
    : obstacle(group, settings);
  if (obstructed) return rejectAll(state, group, obstructed);

  const { failure, round } = state;
  if (failure && isClosed(state, now)) return rejectAll(state, group, failure);
  if (round?.abandonedFor) {
    return failRound(state, { group, settings, ...switched(round.abandonedFor, group) }, now);
  }
  if (round && round.deadline <= now) {
    const why = timedOut(round, { ...event, needed: needed.group });
    return failRound(state, { group, settings, ...why }, now);
  }
  return wait(state, { ...event, needed: needed.group }, now);
}

function isNonStrict(group: Group): boolean {
  return group.gangs.every((facts) => facts.gang.mode === "NonStrict");
}

/** What is not needed and not whole itself waits for the deadline too, if it may become whole until then. */
function allowWhole(state: GroupState, event: PermitFacts, now: number): Decided {
  const { group } = event;
  const { round, failure: _, ...rest } = state;
  const { kept, vain } = incompleteUids(event);
  const allow = heldUids(group).filter((uid) => !kept.has(uid) && !vain.has(uid));
  const known = { reason: "Satisfied", title: title(group) } as const;
  if (kept.size === 0 || !round || round.deadline <= now) {
    const reject = [...kept, ...vain];
    const { reason, message } = degraded(group, { needed: 0 }) ?? whyPending(known);
    return {
      state: rest,
      outcome: { verdict: "allow", allow, wait: [], reject, reason, message },
    };
  }
  return {
    state: { ...rest, round },
    outcome: {
      verdict: "allow",
      allow,
      wait: [...kept],
      reject: [...vain],
      ...waitOf(round, now),
      ...whyPending({ ...known, kept: kept.size }),
    },
  };
}

/** Held members of roles and gangs that are not whole: those that may become so, and those that can not. */
function incompleteUids(
  { group, settings, failed = [], hopeless }: PermitFacts,
): { kept: ReadonlySet<string>; vain: ReadonlySet<string> } {
  const isUseless = (facts: GangFacts) =>
    hopeless?.has(gangId(facts.gang)) === true || gangObstacle(facts, settings) !== undefined;
  const isWhole = (facts: GangFacts) => !isUseless(facts) && missing(facts, settings) === 0;
  const whole = group.composites && wholeGangs(group, isWhole);
  const possible = group.composites && wholeGangs(group, (facts) => !isUseless(facts));
  const kept = new Set<string>();
  const vain = new Set<string>();
  for (const facts of group.gangs) {
    const id = gangId(facts.gang);
    const isIn = (gangs: ReadonlySet<string> | undefined) => !gangs || gangs.has(id);
    const own = failed.filter(({ gang = id }) => gang === id);
    const roles = incompleteRoles(facts, settings, own);
    for (const { uid, role = "" } of facts.held) {
      const isToCome = isIn(whole) ? roles.get(role) : isIn(possible);
      if (isToCome !== undefined) (isToCome ? kept : vain).add(uid);
    }
  }
  return { kept, vain };
}

/** Of gangs that can not become whole in this round, and without which the group can, nobody is kept. */
function wait(
  state: GroupState,
  event: PermitFacts & { readonly needed: Group },
  now: number,
): Decided {
  const { group, settings, failed = [], hopeless, needed } = event;
  const need = groupMissing(needed, settings);
  const { round } = state;
  const isHopeless = ({ gang }: GangFacts) => hopeless?.has(gangId(gang)) === true;
  const held = (gangs: readonly GangFacts[]) =>
    gangs.flatMap((facts) => facts.held.map(({ uid }) => uid));
  const waiting = held(group.gangs.filter((facts) => !isHopeless(facts)));
  const why = {
    reason: "WaitingForMembers",
    title: title(group),
    held: waiting.length,
    need,
    failed,
  } as const;
  return {
    state,
    outcome: {
      verdict: "wait",
      allow: [],
      wait: waiting,
      reject: held(group.gangs.filter(isHopeless)),
      need,
      ...failedAt(state),
      ...(round ? waitOf(round, now) : { askAgainSeconds: pollSeconds }),
      ...whyPending(why),
    },
  };
}

function waitOf(
  { deadline }: Round,
  now: number,
): Pick<Required<Decision>, "deadline" | "askAgainSeconds"> {
  const secondsLeft = Math.max(1, Math.ceil((deadline - now) / 1000));
  return {
    deadline: new Date(deadline).toISOString(),
    askAgainSeconds: Math.min(pollSeconds, secondsLeft),
  };
}

function switched(other: string, group: Group): { reason: Reason; message: string } {
  return whyPending({ reason: "GangSwitched", title: title(group), other });
}

function timedOut(
  { startedAt, deadline }: Round,
  { group, settings, needed }: PermitFacts & { readonly needed: Group },
): { reason: Reason; message: string; park?: boolean } {
  const why = whyPending({
    reason: "TimedOut",
    title: title(group),
    seconds: Math.round((deadline - startedAt) / 1000),
    placed: needed.gangs.reduce((sum, facts) => sum + placedOfMin(facts, settings), 0),
    minMember: needed.gangs.reduce((sum, facts) => sum + facts.gang.minMember, 0),
    isParked: settings.parkAfterTimeout,
  });
  return { ...why, ...(settings.parkAfterTimeout && { park: true }) };
}

/** Whether a round failed a moment ago; at the very time of the failure, so that a repeated call gets the same answer. */
export function isClosed({ failure }: GroupState, now: number): boolean {
  return failure !== undefined && (now < failure.closedUntil || now === failure.at);
}

/** Ends the round: every held member is let go, and the group stays closed for a moment. */
export function failRound(
  state: GroupState,
  cause: {
    group: Group;
    settings: Settings;
    reason: Reason;
    message: string;
    park?: boolean | undefined;
  },
  now: number,
): Decided {
  const { group, settings, ...why } = cause;
  const closedUntil = now + settings.closedSeconds * 1000;
  return rejectAll({ ...state, failure: { at: now, closedUntil, ...why } }, group, why);
}

function rejectAll(
  state: GroupState,
  group: Group,
  why: { reason: Reason; message: string; park?: boolean | undefined },
): Decided {
  const { round: _, ...rest } = state;
  return {
    state: rest,
    outcome: {
      verdict: "reject",
      allow: [],
      wait: [],
      reject: heldUids(group),
      ...failedAt(state),
      ...(why.park && { park: true }),
      reason: why.reason,
      message: why.message,
    },
  };
}

/** A round outlives its last held member for so long, in ms: a call may have lasted too long, or its scheduler restarted. */
const emptyRoundMs = 10_000;

/**
 * Opens a round at the group's first held member and keeps it while there are any, and for a moment longer (S3 WaitTime). While
 * there are none nobody waits for its deadline: past it the next one starts a wait of its own, whichever relay told of the last.
 */
export function followRound(
  state: GroupState,
  event: PermitFacts,
  now: number,
): GroupState {
  const { group, settings } = event;
  const { round, ...rest } = state;
  const relay = group.relay.id;
  const isOwn = round?.relay === relay;
  const isOver = round?.emptySince !== undefined && now > round.emptySince + emptyRoundMs;
  if (heldUids(group).length === 0) {
    if (!round) return state;
    if (round.deadline <= now || (isOwn && isOver)) return rest;
    if (!isOwn) return state;
    return { ...rest, round: { ...round, emptySince: round.emptySince ?? now } };
  }
  if (round && isOwn && !isOver) {
    const { emptySince: _, ...open } = round;
    return { ...rest, round: open };
  }
  const deadline = now + waitSeconds(group, settings) * 1000;
  return { ...rest, round: { relay, startedAt: now, deadline } };
}

/** UIDs of all held members of the group. */
export function heldUids(group: Group): string[] {
  return group.gangs.flatMap((facts) => facts.held.map((pod) => pod.uid));
}

function failedAt(state: GroupState): { failedAt?: string } {
  return state.failure ? { failedAt: new Date(state.failure.at).toISOString() } : {};
}
