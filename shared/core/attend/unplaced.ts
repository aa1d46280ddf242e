/**
 * Members that `filter` refused because they have no place in the plan: they wait for another plan, and where that has none
 * either the round has failed.
 *
 * @module
 */
import type { MemberFailure } from "../gang/facts.ts";
import type { Plan } from "../plan/plan.ts";
import type { Attended, Refusal } from "./attended.ts";
import type { Advanced } from "./effect.ts";
import { note } from "./failure.ts";
import { unplacedReasons } from "./offer.ts";
import { openPlaces } from "./placement.ts";
import { poke } from "./refusal.ts";
import type { Snapshot } from "./snapshot.ts";

const reasons: readonly string[] = unplacedReasons;

/** Whether members wait for a place. */
export function hasUnplaced(attended: Attended): boolean {
  return unplacedIn(attended).length > 0;
}

/** Whether members wait for a place that a plan may have for them; one that says what the last one said has none. */
export function mayPlace(plan: Plan, attended: Attended): boolean {
  const { plan: before } = attended;
  if (!(plan.taken ?? before?.taken) || !hasUnplaced(attended)) return false;
  return !before || textOf(before) !== textOf(plan);
}

function textOf({ fit, ahead, taken, ...rest }: Plan): string {
  return JSON.stringify([fit, ahead, taken, rest]);
}

/** Wakes those that have a place now. */
export function wakePlaced(attended: Attended): Advanced {
  const { plan, placement, standing } = attended;
  if (!plan || standing.phase !== "let in") return { attended, effects: [] };
  const woken = unplacedIn(attended).filter(([uid, { kind, gang }]) =>
    kind === undefined || openPlaces(placement, { uid, kind, gang }).length > 0
  );
  return poke(attended, woken.map(([uid]) => uid));
}

/** The plan without the nodes that the scheduler refuses has no room for all that are needed beside those that are held. */
export function noticeUnplaced(attended: Attended, { calls }: Snapshot): Attended {
  const { plan, standing } = attended;
  const isStuck = plan !== undefined && plan.fit.members < plan.fit.of && calls.size > 0;
  if (!isStuck || standing.phase !== "let in") return attended;
  const failures = unplacedIn(attended).filter(([uid]) => !standing.failed.has(uid))
    .map(([uid, { pod, gang, sentence }]): MemberFailure => ({
      uid,
      name: pod.name,
      message: sentence,
      gang,
    }));
  return note(attended, failures);
}

/** The last plan has places for all that are needed, and none for this one: that no node takes it is no failure. */
export function isLeftOut(
  { id, placement }: Attended,
  { uid, gang = id }: MemberFailure,
  kind: string | undefined,
): boolean {
  const isPlanned = placement.steering !== "free" && placement.uses.length > 0;
  return isPlanned && kind !== undefined && openPlaces(placement, { uid, kind, gang }).length === 0;
}

function unplacedIn({ refused }: Attended): [uid: string, refusal: Refusal][] {
  return [...refused].filter(([, { reason }]) => reasons.includes(reason));
}
