/**
 * Permit: whether held members may bind.
 *
 * @module
 */
import type { Decision } from "./decision.ts";
import type { Group } from "./facts.ts";
import { obstacle, unusable } from "./obstacle.ts";
import { title } from "./prefilter.ts";
import { groupMissing, unknownGangs, waitSeconds } from "./quorum.ts";
import type { Reason } from "./reason.ts";
import type { Settings } from "./settings.ts";
import type { GroupState } from "./state.ts";

/** A relay asks again after this long at the latest, in seconds. */
const pollSeconds = 20;

/** What permit is asked. */
export interface PermitEvent {
  readonly stage: "permit";
  readonly group: Group;
  readonly settings: Settings;
}

/** The state after a stage, and its answer. */
export interface Decided {
  readonly state: GroupState;
  readonly outcome: Decision;
}

/**
 * Allows all held members once every gang of the group is satisfied. Otherwise they wait for the group's deadline,
 * unless the group can not become whole or its round has failed.
 */
export function permit(state: GroupState, event: Omit<PermitEvent, "stage">, now: number): Decided {
  const { group, settings } = event;
  if (isSatisfied(group, settings)) return allowAll(state, group);

  const obstructed = isNonStrict(group) ? unusable(group) : obstacle(group);
  if (obstructed) return rejectAll(state, group, obstructed);

  const { failure, round } = state;
  if (failure && now < failure.closedUntil) return rejectAll(state, group, failure);
  if (round && round.deadline <= now) {
    return failRound(state, { group, settings, ...timedOut(state, group) }, now);
  }
  return wait(state, event, now);
}

function isSatisfied(group: Group, settings: Settings): boolean {
  return !unusable(group) && unknownGangs(group).length === 0 &&
    groupMissing(group, settings) === 0;
}

function isNonStrict(group: Group): boolean {
  return group.gangs.every((facts) => facts.gang.mode === "NonStrict");
}

function allowAll(state: GroupState, group: Group): Decided {
  const { round: _, failure: __, ...rest } = state;
  const message = `${title(group)} is satisfied`;
  return {
    state: rest,
    outcome: {
      verdict: "allow",
      allow: heldUids(group),
      wait: [],
      reject: [],
      reason: "Satisfied",
      message,
    },
  };
}

function wait(state: GroupState, event: Omit<PermitEvent, "stage">, now: number): Decided {
  const { group, settings } = event;
  const need = groupMissing(group, settings);
  const { round } = state;
  const message = `${title(group)} holds ${
    heldUids(group).length
  } members and waits for ${need} more to find a node`;
  const secondsLeft = round ? Math.max(1, Math.ceil((round.deadline - now) / 1000)) : pollSeconds;
  return {
    state,
    outcome: {
      verdict: "wait",
      allow: [],
      wait: heldUids(group),
      reject: [],
      need,
      ...(round && { deadline: new Date(round.deadline).toISOString() }),
      ...failedAt(state),
      askAgainSeconds: Math.min(pollSeconds, secondsLeft),
      reason: "WaitingForMembers",
      message,
    },
  };
}

function timedOut(state: GroupState, group: Group): { reason: Reason; message: string } {
  const seconds = state.round
    ? Math.round((state.round.deadline - state.round.startedAt) / 1000)
    : 0;
  const message = `${
    title(group)
  } was let go: not all of its members found a node within ${seconds} s`;
  return { reason: "TimedOut", message };
}

/** Ends the round: every held member is let go, and the group stays closed for a moment. */
export function failRound(
  state: GroupState,
  cause: { group: Group; settings: Settings; reason: Reason; message: string },
  now: number,
): Decided {
  const { reason, message, settings } = cause;
  const closedUntil = now + settings.closedSeconds * 1000;
  const { round: _, ...rest } = state;
  return rejectAll(
    { ...rest, failure: { at: now, closedUntil, reason, message } },
    cause.group,
    cause,
  );
}

function rejectAll(
  state: GroupState,
  group: Group,
  why: { reason: Reason; message: string },
): Decided {
  return {
    state,
    outcome: {
      verdict: "reject",
      allow: [],
      wait: [],
      reject: heldUids(group),
      ...failedAt(state),
      reason: why.reason,
      message: why.message,
    },
  };
}

/** Opens a round at the group's first held member, keeps it while there are any, and ends it with the last (S3 WaitTime). */
export function followRound(
  state: GroupState,
  event: Omit<PermitEvent, "stage">,
  now: number,
): GroupState {
  const { group, settings } = event;
  const { round, ...rest } = state;
  const relay = group.relay.id;
  if (heldUids(group).length === 0) return round && round.relay !== relay ? state : rest;
  if (round?.relay === relay) return state;
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
