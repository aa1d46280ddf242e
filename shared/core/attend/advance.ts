/**
 * The one way in which what the relay knows of a gang group advances.
 *
 * @module
 */
import type { Admission, Decision } from "../stage/decision.ts";
import { whyPending } from "../words/why_pending.ts";
import type { Clearance, Plan } from "../plan/plan.ts";
import { admissionAnswered, isNews, refuse } from "./admission.ts";
import { type Attended, attendedSince, withLost } from "./attended.ts";
import { lacksRoom } from "./standing.ts";
import { type Change, changedBy } from "./change.ts";
import { decisionAnswered, decisionUnanswered, saysGone } from "./decision.ts";
import type { Advanced, Effect } from "./effect.ts";
import type { EventOf, GroupEvent } from "./event.ts";
import { leaveAlone } from "./left_alone.ts";
import { look } from "./look.ts";
import { hasMoved, misplaced } from "./nomination.ts";
import { followPlan } from "./placement.ts";
import { followPromise } from "./promise.ts";
import { mayEvictSince } from "./left_to_group.ts";
import { memberRefused } from "./refusal.ts";
import { mayPlace } from "./unplaced.ts";
import { openCalls } from "./snapshot.ts";
import { times } from "./times.ts";
import { isStuckAtGate, ungates } from "./ungating.ts";

/**
 * What follows from an event; `now` is in milliseconds since the epoch. Pure: it changes nothing, and an event of one member
 * costs what changed, not what the gang has. Level-based: what is asked and done follows from the look that comes after a
 * burst of events, which is taken by the facts as they are then.
 */
export function advance(attended: Attended, event: GroupEvent, now: number): Advanced {
  switch (event.is) {
    case "look":
      return look(attended, event, now);
    case "planned":
      return planned(attended, event, now);
    case "answered":
      return answered(attended, event, now);
    case "unanswered":
      return unanswered(attended, event, now);
    case "let go":
      return letGo(attended, event, now);
    case "refused":
      return { attended: memberRefused(attended, event), effects: lookSoon };
    case "asked about":
      return { attended: { ...attended, round: undefined }, effects: lookSoon };
    case "unlisted":
      return { attended: tellAgain(attended, event), effects: lookSoon };
    case "ungating":
      return followGates(attended, ungates(attended, now), now);
    case "ungated":
      return followGates(attended, { ...attended, ungatingSince: undefined }, now);
    case "forget answers":
      return { attended: forgetAnswers(attended), effects: [] };
    default:
      return {
        attended: { ...changedBy(attended, event, now), plan: undefined },
        effects: [...startedBy(attended, event, now), ...lookSoon],
      };
  }
}

/** How much later than was promised first, or earlier, a group starts. */
function startedBy({ promise }: Attended, event: Change, now: number): Effect[] {
  if (!promise || event.is !== "bound" || !event.isWhole) return [];
  return [{ do: "count start", lateMs: now - promise.first }];
}

/** Whether gates stay is told. */
function followGates(before: Attended, attended: Attended, now: number): Advanced {
  const isNews = isStuckAtGate(before, now) !== isStuckAtGate(attended, now);
  return { attended, effects: isNews ? lookSoon : [] };
}

const lookSoon: readonly Effect[] = [{ do: "look" }];

/** The members whose calls are open are let go, and those whose calls are on the way will be refused. */
function letGo(attended: Attended, { calls, to, title }: EventOf<"let go">, now: number): Advanced {
  const yields = { to, until: now + times.yields };
  const { to: before, until = 0 } = attended.yields ?? {};
  const isKnown = now < until && before?.uid === to.uid && before.title === to.title;
  // Those whose bindings are being written can not be let go: to look at them anew would only lead back here.
  if (calls.length === 0 && isKnown) return { attended: { ...attended, yields }, effects: [] };
  const { message: sentence } = whyPending({ reason: "LetGo", title, to: to.title });
  const lost = calls.map(({ pod, gang }) =>
    ({ pod, cause: "aborted", gang, by: to.title }) as const
  );
  return {
    attended: {
      ...withLost(attended, lost),
      yields,
      plan: undefined,
      // Else it would be planned before the one that it makes room for.
      keepsUntil: 0,
    },
    effects: [...calls.map((call) => ({ do: "release", call, sentence }) as const), ...lookSoon],
  };
}

function planned(attended: Attended, { plan, waits }: EventOf<"planned">, now: number): Advanced {
  const { plan: before, placement, shortSince, fitsSince, coming } = attended;
  const comes = (uid: string) => (coming.get(uid) ?? 0) > now;
  const followed = followPlan(placement, plan, { waits, comes });
  const isMoved = hasMoved(attended.nominated, followed);
  const { promised, brokenBy } = followPromise(attended.promise, { plan, now });
  const follows = withChanges(attended, {
    plan,
    reserved: plan.reservation,
    promise: promised,
    clearance: plan.clearance ?? clearedBefore(attended, plan),
    nominated: withoutCleared(attended, plan),
    placement: followed,
    isToNominate: attended.isToNominate || isMoved,
    shortSince: plan.isShort ? shortSince ?? now : undefined,
    fitsSince: plan.taken ? fitsSince ?? now : undefined,
  });
  const isMisplaced = misplaced(follows).length > 0;
  const isAwaited = isMoved || isMisplaced || mayPlace(plan, attended) ||
    mayEvictSince(follows, now).length > 0;
  const isToldAnew = promised?.said !== attended.promise?.said;
  const broken: Effect[] = brokenBy ? [{ do: "count broken promise", by: brokenBy }] : [];
  const isLookedAt = isAwaited || isToldAnew || isNews(follows, before);
  return { attended: follows, effects: [...broken, ...isLookedAt ? lookSoon : []] };
}

/** Of a long queue most groups are planned as before: what is known of them stays the same object. */
function withChanges(attended: Attended, changes: Partial<Attended>): Attended {
  for (const key in changes) {
    const name = key as keyof Attended;
    if (changes[name] !== attended[name]) return { ...attended, ...changes };
  }
  return attended;
}

/** Where more are to leave for members, the scheduler may have taken back what these were nominated to: they are so anew. */
function withoutCleared(
  { nominated, clearance: before }: Attended,
  { clearance }: Plan,
): Attended["nominated"] {
  const known = new Set(before?.victims);
  if (!clearance || clearance.victims.every((uid) => known.has(uid))) return nominated;
  return clearance.members.reduce((left, { uid }) => left.without(uid), nominated);
}

/** Its members have the room that others left for them, and policy is still to hear of it. */
function clearedBefore({ clearance, standing }: Attended, { taken }: Plan): Clearance | undefined {
  return taken && lacksRoom(standing) ? clearance : undefined;
}

function answered(
  attended: Attended,
  { answer, snapshot }: EventOf<"answered">,
  now: number,
): Advanced {
  const { asking } = attended;
  if (!asking) return { attended, effects: [] };
  const { whole } = answer;
  const idle = { ...attended, whole, asking: undefined, leftAlone: undefined };
  if (saysGone(asking.question)) return { attended: forgetAnswers(idle), effects: lookSoon };
  const { attended: after, effects } = asking.question.stage === "prefilter"
    ? admissionAnswered(idle, { admission: answer as Admission, asking, now })
    : decisionAnswered(idle, { decision: answer as Decision, asking, snapshot, now });
  return { attended: after, effects: [...effects, ...lookSoon] };
}

/** Gangs wait with that reason; calls are let go when their time is over. */
function unanswered(
  attended: Attended,
  { why, snapshot }: EventOf<"unanswered">,
  now: number,
): Advanced {
  const { asking, round } = attended;
  if (!asking) return { attended, effects: [] };
  const { question } = asking;
  const idle = { ...attended, asking: undefined };
  const untold = question.stage === "prefilter" ? idle : decisionUnanswered(idle, question);
  const refused = refuse(untold, why, now);
  const isRefusal = why.reason === "FactsRefused";
  const { specs } = snapshot;
  const leftAlone = isRefusal ? leaveAlone(attended.leftAlone, { specs, now }) : undefined;
  // In an outage a round may still become whole until its time is over.
  const deadline = round?.decision.deadline;
  const isOver = isRefusal || (deadline !== undefined && now >= Date.parse(deadline));
  const effects = openCalls(snapshot).filter(() => isOver)
    .map((call) => ({ do: "release", call, sentence: why.message }) as const);
  const retryAt = leftAlone?.until ?? now + times.outage;
  const plan = effects.length > 0 ? undefined : refused.plan;
  return {
    attended: { ...refused, plan, told: undefined, retryAt, leftAlone },
    effects: [...effects, { do: "wake", at: retryAt }],
  };
}

/** Whoever has not been asked about is asked about anyway. */
function tellAgain(attended: Attended, { at }: EventOf<"unlisted">): Attended {
  const { asking, told, retryAt } = attended;
  if (!told) return attended;
  // When it is asked about next, the answer on its way says.
  return asking
    ? { ...attended, told: undefined }
    : { ...attended, retryAt: Math.min(retryAt, at) };
}

function forgetAnswers(attended: Attended): Attended {
  return {
    ...attendedSince(attended.id, attended.arrivals.first),
    arrivals: attended.arrivals,
    refused: attended.refused,
    preempted: attended.preempted,
    takenBack: attended.takenBack,
    nominated: attended.nominated,
    broken: attended.broken,
    saidReasons: attended.saidReasons,
    spoken: attended.spoken,
    weakened: attended.weakened + 1,
  };
}
