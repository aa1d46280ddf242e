/**
 * The one way in which the state of a gang group advances.
 *
 * @module
 */
import { gangId, type Group } from "../gang/facts.ts";
import { withPreemption } from "../words/why_pending.ts";
import type { Admission, Decision } from "./decision.ts";
import { followRound, permit, type PermitEvent } from "./permit.ts";
import { whyLeftOut } from "./why_left_out.ts";
import { postfilter, type PostfilterEvent } from "./postfilter.ts";
import { prefilter, type PrefilterEvent } from "./prefilter.ts";
import { emptyState, type GroupState } from "./state.ts";
import { unreserve, type UnreserveEvent } from "./unreserve.ts";
import { followWhole } from "./whole.ts";

/** A call of a stage, with the facts of the whole group and the settings that rule. */
export type StageEvent = PrefilterEvent | PermitEvent | PostfilterEvent | UnreserveEvent;

/** What a stage answers. */
export type Outcome<E extends StageEvent> = E extends PrefilterEvent ? Admission : Decision;

/**
 * Applies one call to the state of its gang group. `now` is in milliseconds since the epoch.
 *
 * Pure and level-based: the answer follows from the facts and the time, so a lost, repeated or reordered call does no
 * harm. Facts older than those already seen of the same relay are answered and change nothing.
 */
export function step<E extends StageEvent>(
  state: GroupState,
  event: E,
  now: number,
): { state: GroupState; outcome: Outcome<E> } {
  const known = upTo(now, sameGangs(state, event.group));
  const current = followRound(known, event, now);
  const decided = decide(current, event, now);
  const whole = followWhole(current.whole, { group: event.group, outcome: decided.outcome });
  const leftOut = whyLeftOut(event.group, event.settings);
  const outcome = {
    ...decided.outcome,
    message: withPreemption(decided.outcome.message, event.group),
    ...(whole && { whole }),
    ...(leftOut && { leftOut }),
  } as Outcome<E>;
  if (isStale(state, event.group)) return { state, outcome };
  if (isGone(event)) return { state: emptyState, outcome };
  const { relay } = event.group;
  const { reason } = outcome;
  const standing = current.standing?.reason === reason ? current.standing : { reason, since: now };
  const uids = uidsOf(event.group);
  return { state: { ...decided.state, relay, standing, whole, uids }, outcome };
}

function decide(
  state: GroupState,
  event: StageEvent,
  now: number,
): { state: GroupState; outcome: Admission | Decision } {
  const { matchPolicy } = event.settings;
  switch (event.stage) {
    case "prefilter":
      return { state, outcome: { ...prefilter(state, event, now), matchPolicy } };
    case "permit":
      return permit(state, event, now);
    case "postfilter":
      return postfilter(state, event, now);
    case "unreserve":
      return unreserve(state, event, now);
  }
}

/** Whether newer facts of the same relay have been seen. */
export function isStale(state: GroupState, group: Group): boolean {
  return state.relay?.id === group.relay.id && group.relay.epoch < state.relay.epoch;
}

function isGone(event: StageEvent): boolean {
  return event.stage === "unreserve" && event.lost.some((loss) => loss.cause === "gone") &&
    event.group.gangs.every((facts) => facts.held.length === 0);
}

/** A PodGroup created anew under the same name starts with a clean state. */
function sameGangs(state: GroupState, group: Group): GroupState {
  const changed = group.gangs.some(({ gang }) => {
    const known = state.uids?.[gangId(gang)];
    return known !== undefined && known !== gang.uid;
  });
  return changed ? { relay: state.relay } : state;
}

/** Without what is still to come: it is of a clock that was ahead, and has been set back since. */
function upTo(now: number, { round, failure, standing, ...rest }: GroupState): GroupState {
  return {
    ...rest,
    ...(round && round.startedAt <= now && { round }),
    ...(failure && failure.at <= now && { failure }),
    ...(standing && standing.since <= now && { standing }),
  };
}

function uidsOf(group: Group): Record<string, string> {
  return Object.fromEntries(
    group.gangs.flatMap(({ gang }) => gang.uid ? [[gangId(gang), gang.uid]] : []),
  );
}
