/**
 * Members that `filter` refused because they have no place in the plan: they wait for another plan, and where that has none
 * either the round has failed.
 *
 * @module
 */
import type { MemberFailure } from "../gang/facts.ts";
import type { Plan } from "../plan/plan.ts";
import { whyPending } from "../words/why_pending.ts";
import { type Attended, isLetIn, type Refusal } from "./attended.ts";
import type { Advanced } from "./effect.ts";
import { note } from "./failure.ts";
import { hasOpenPlaces, openPlaces } from "./placement.ts";
import { isUnplaced, wakeUp } from "./refusal.ts";
import type { Snapshot } from "./snapshot.ts";

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
  const { plan, placement } = attended;
  if (!plan || !isLetIn(attended)) return { attended, effects: [] };
  const isOpen = hasOpenPlaces(placement);
  const woken = unplacedIn(attended).filter(([uid, { kind, gang }]) =>
    kind === undefined || isOpen({ uid, kind, gang })
  );
  return wakeUp(attended, woken.map(([uid]) => uid));
}

/**
 * Notes refused members for which no plan will have a place while others are held: without the nodes that the scheduler refuses
 * the plan lacks room for all that are needed, or the room is kept for a gang ahead, or the group starts without their gang, of
 * which some are held.
 */
export function noticeUnplaced(attended: Attended, snapshot: Snapshot): Attended {
  const { plan, standing, placement: { choice } } = attended;
  const { calls } = snapshot;
  if (plan === undefined || calls.size === 0 || standing.phase !== "let in") return attended;
  const isStuck = plan.fit.members < plan.fit.of || plan.ahead !== undefined;
  const holding = new Set([...calls.values()].map(({ gang }) => gang));
  const isVain = (gang: string) => isStuck || (choice?.without.has(gang) && holding.has(gang));
  const refused = unplacedIn(attended).map(([uid, { pod, gang, sentence }]) => (
    { uid, name: pod.name, message: sentence, gang }
  ));
  const hasVain = choice !== undefined && [...holding].some(isVain);
  const failures: MemberFailure[] = [...refused, ...hasVain ? gatedIn(snapshot) : []];
  return note(
    attended,
    failures.filter(({ uid, gang = attended.id }) => !standing.failed.has(uid) && isVain(gang)),
  );
}

/** Members that nobody tries, because their gang has no place. */
function gatedIn(snapshot: Snapshot): MemberFailure[] {
  return snapshot.gated().map(({ uid, gang }) => {
    const { message } = whyPending({ reason: "NoPlace", gang, places: [], offered: 0 });
    return { uid, message, gang };
  });
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
  return [...refused].filter(([, { reason }]) => isUnplaced(reason));
}
