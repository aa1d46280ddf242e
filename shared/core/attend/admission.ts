/**
 * The verdict that `filter` answers with: when prefilter is asked, and what follows from its answer.
 *
 * @module
 */
import type { Admission } from "../stage/decision.ts";
import { gangId, type MemberFailure } from "../gang/facts.ts";
import { present } from "../gang/quorum.ts";
import { makesWhole, type Plan } from "../plan/plan.ts";
import { noTakingNodes } from "../room/fit.ts";
import { type Asking, type Attended, isInDoubt, type Told } from "./attended.ts";
import { isPausing, lacksRoom, type Why } from "./standing.ts";
import type { Advanced, Effect } from "./effect.ts";
import { gatheredAt } from "./gathering.ts";
import { askAgainOf } from "./own_stage.ts";
import { stillPlanned } from "./placement.ts";
import type { PrefilterQuestion } from "./question.ts";
import { wakeUp } from "./refusal.ts";
import { isBeyondPlans } from "./scheduler_reasons.ts";
import { SharedMap } from "./shared_map.ts";
import { failureOf, type Snapshot } from "./snapshot.ts";
import { times } from "./times.ts";
import { isStuckAtGate } from "./ungating.ts";

/** Whether the verdict may have changed; when nobody waits for it, whether there is something new to report. */
export function isAdmissionDue(attended: Attended, snapshot: Snapshot, now: number): boolean {
  const { standing, told, plan, retryAt, leftAlone } = attended;
  if (awaitsPlan(attended, snapshot)) return false;
  if (standing.phase === "collecting") {
    return now >= gatheredAt(attended.arrivals) || isComplete(snapshot);
  }
  // After an outage the functions are left alone for a moment.
  if (!told) return leftAlone !== undefined || retryAt === Infinity || now >= retryAt;
  if (now >= retryAt || told.specs !== snapshot.specs) return true;
  const isLater = now >= told.at + told.reportAfter;
  if (isLater && isUnshown(told, snapshot)) return true;
  if (now >= told.at + silenceOf(told, snapshot)) return true;
  const waits = snapshot.pending > 0;
  if (isInDoubt(attended) && (waits || isGatedByOthers(snapshot))) return true;
  if (!waits) return false;
  if (isUntried(snapshot, now) !== (told.isUntried ?? false)) return true;
  if (isStuckAtGate(attended, now) !== (told.isAtGate ?? false)) return true;
  if (snapshot.present < told.present) return true;
  const fits = fitsNow(plan, snapshot);
  if (fits !== undefined && fits !== told.fits) return true;
  // Nobody leaves before it is told.
  if (lacksRoom(standing) && isToldOfLeaving(plan, snapshot) && !told.leaving) return true;
  if (standing.phase === "let in") {
    return isLater && snapshot.calls.size === 0 && leftOutText(attended) !== told.leftOut;
  }
  return snapshot.present >= told.present + (standing.why.need ?? 1) ||
    (isLater && textOf(attended) !== told.plan);
}

/** Whoever is behind gates of others is not pending, and may be behind Muster's too. */
function isGatedByOthers({ group }: Snapshot): boolean {
  return group.gangs.some(({ census }) => census.gated > 0);
}

/** A plan that does not know the members as they are now would be taken for a lack of room. */
function awaitsPlan({ plan }: Attended, { pending }: Snapshot): boolean {
  return pending > 0 && !plan;
}

/** When prefilter is to be asked by time alone, in ms since the epoch; Infinity: never. */
export function admissionDueAt(attended: Attended, snapshot: Snapshot): number {
  const { standing, told, plan, retryAt } = attended;
  if (awaitsPlan(attended, snapshot)) return Infinity;
  if (!told) return retryAt;
  const isPlanNew = snapshot.pending > 0 && plan !== undefined &&
    (standing.phase === "refused"
      ? textOf(attended) !== told.plan
      : snapshot.calls.size === 0 && leftOutText(attended) !== told.leftOut);
  return Math.min(
    isPlanNew || isUnshown(told, snapshot) ? told.at + told.reportAfter : Infinity,
    told.at + silenceOf(told, snapshot),
    told.isUntried || snapshot.pending === 0 ? Infinity : snapshot.untriedFrom ?? Infinity,
    retryAt,
  );
}

/** Whether anything is due by the group's plan that was not by the one before, now or later. */
export function isNews(attended: Attended, before: Plan | undefined): boolean {
  const { plan, told, promise } = attended;
  if (!plan || !before || !told || plan.clearance) return true;
  if (plan === before) return false;
  if (JSON.stringify(plan.leftOut) !== JSON.stringify(before.leftOut)) return true;
  const hasTurned = makesWhole(plan) !== makesWhole(before) || !plan.taken !== !before.taken;
  if (hasTurned) return true;
  const textBefore = textOf({ plan: before, promise });
  const wasTold = textBefore === told.plan;
  return wasTold && textOf(attended) !== textBefore;
}

/** Whether nothing but the pause after a failed round keeps it out, and it would be whole once victims have left. */
export function onlyPauses({ standing, plan }: Attended): boolean {
  return isPausing(standing) && plan !== undefined && makesWhole(plan);
}

/** What prefilter is to be asked. */
export function prefilterQuestion(
  attended: Attended,
  snapshot: Snapshot,
  now: number,
): PrefilterQuestion {
  const { plan, promise } = attended;
  const fits = fitsNow(plan, snapshot);
  const { fit, ahead } = fits === undefined ? {} : plan!;
  const refused = fits === false ? refusedBeyondRoom(plan!, snapshot) : undefined;
  const estimate = fits === undefined ? undefined : promise?.said;
  const request = {
    ...snapshot.group,
    ...(fit && { fit }),
    ...(refused && { refused }),
    ...(ahead && { ahead }),
    ...(estimate && { estimate }),
    ...(isUntried(snapshot, now) && { untried: true as const }),
    ...(isStuckAtGate(attended, now) && { atGate: true as const }),
  };
  return { stage: "prefilter", request };
}

/** A member that the scheduler takes on none of the nodes that have room for it, as it says. */
function refusedBeyondRoom(
  { fit: { shortOf } }: Plan,
  snapshot: Snapshot,
): MemberFailure | undefined {
  if (shortOf !== noTakingNodes) return undefined;
  const member = snapshot.unschedulable().find(({ message }) => isBeyondPlans(message));
  return member && failureOf(member);
}

/** Whether the scheduler could have tried its members for long, and has tried none. */
function isUntried({ untriedFrom = Infinity }: Snapshot, now: number): boolean {
  return now >= untriedFrom;
}

/** Prefilter is being asked. The room is kept already while the answer is on its way: another plan may see another order. */
export function admissionAsked(attended: Attended, snapshot: Snapshot, now: number): Attended {
  const { told: before, plan, keepsUntil } = attended;
  const { specs, counts, present } = snapshot;
  const fits = fitsNow(plan, snapshot);
  const told = {
    specs,
    counts,
    present,
    fits,
    plan: textOf(attended),
    leaving: isToldOfLeaving(plan, snapshot),
    leftOut: leftOutText(attended),
    isUntried: isUntried(snapshot, now),
    isAtGate: isStuckAtGate(attended, now),
    at: now,
    reportAfter: before ? nextReportAfter(before, now) : times.reportLeast,
    isNewlyLetIn: false,
  };
  return {
    ...attended,
    told,
    // From then on others go before it, or not any more.
    plan: told.isUntried === (before?.isUntried ?? false) ? plan : undefined,
    retryAt: Infinity,
    keepsUntil: fits && !told.isUntried ? now + times.keeps : keepsUntil,
  };
}

/** Prefilter has answered. */
export function admissionAnswered(
  attended: Attended,
  { admission, asking, now }: { admission: Admission; asking: Asking; now: number },
): Advanced {
  const { verdict, retryAfterSeconds, askAgain, ...why } = admission;
  const isOther = (attended.standing.phase === "let in") !== (verdict === "allow") ||
    attended.standing.phase === "collecting";
  const told = attended.told && {
    ...attended.told,
    ...(isOther && { reportAfter: times.reportLeast }),
    isNewlyLetIn: !asking.wasLetIn && verdict === "allow",
  };
  const retryAt = retryAfterSeconds === undefined
    ? Infinity
    : now + askAgainOf(retryAfterSeconds) * 1000;
  const judged = { ...attended, told, retryAt };
  const { attended: stands, effects } = verdict === "reject"
    ? { attended: refuse(judged, why, now), effects: [] }
    : letIn(judged, { why, asking, now });
  const about: Effect[] = askAgain === undefined ? [] : [{ do: "ask about", group: askAgain }];
  return { attended: stands, effects: [...effects, ...about] };
}

/** The group is kept out. */
export function refuse(attended: Attended, why: Why, now: number): Attended {
  const { standing } = attended;
  const since = standing.phase === "refused" ? standing.since : now;
  return { ...attended, standing: { phase: "refused", why, since }, keepsUntil: 0 };
}

/** The scheduler may try the members now: nothing else wakes those that it was told to leave. */
function letIn(
  attended: Attended,
  { why, asking, now }: { why: Why; asking: Asking; now: number },
): Advanced {
  const { standing, clearance, nominated, placement } = attended;
  const quotas = quotasOf(asking, why);
  const judged = { why, judgedAt: asking.weakened, quotas };
  if (standing.phase === "let in" && asking.wasLetIn) {
    return { attended: { ...attended, standing: { ...standing, ...judged } }, effects: [] };
  }
  const entered: Attended = {
    ...attended,
    standing: {
      phase: "let in",
      ...judged,
      at: now,
      failed: SharedMap.empty(),
      hasNewFailure: false,
      doubtedAt: Infinity,
    },
    keepsUntil: now + times.keeps,
    // Members on the way to room that others left for them keep it.
    nominated: clearance ? stillPlanned(nominated, placement) : SharedMap.empty(),
    isToNominate: true,
    clearance: undefined,
  };
  return wakeUp(entered, [...entered.refused.keys()]);
}

/** Policy said of these facts how many more members each gang needs. */
function quotasOf({ question }: Asking, { needs = {} }: Why): ReadonlyMap<string, number> {
  return new Map(question.request.gangs.map(({ gang, held, census }) => {
    const id = gangId(gang);
    return [id, held.length + census.bound + (needs[id] ?? 0)];
  }));
}

/** Whether the members still needed may have room; unknown while some are held, because then the scheduler decides. */
function fitsNow(plan: Plan | undefined, { calls }: Snapshot): boolean | undefined {
  return plan && calls.size === 0 ? makesWhole(plan) : undefined;
}

/** Whether what prefilter is told names pods that are to leave for the group. */
function isToldOfLeaving(plan: Plan | undefined, snapshot: Snapshot): boolean {
  return fitsNow(plan, snapshot) !== undefined && plan?.fit.leaving !== undefined;
}

/** Whether every gang of the group has as many members as it needs. */
function isComplete({ group }: Snapshot): boolean {
  return group.gangs.every((facts) => present(facts) >= facts.gang.minMember);
}

/** What of its plan and its start a group is told. Kept in a `WeakMap` of thousands of plans that came and went it took V8 a second. */
function textOf({ plan, promise }: Pick<Attended, "plan" | "promise">): string {
  if (!plan) return "";
  const text = JSON.stringify([plan.fit, plan.ahead]);
  return promise?.said ? text + JSON.stringify(promise.said) : text;
}

/** What a group is told of what it is planned without. */
function leftOutText({ placement: { choice } }: Attended): string | undefined {
  return choice && JSON.stringify(choice.leftOut);
}

/** Whether the members have changed in number, or no map shows the last change; while some are held permit reports them. */
function isUnshown(told: Told, { calls, counts, lacksMap }: Snapshot): boolean {
  return calls.size === 0 && (lacksMap || told.counts !== counts);
}

/** For so long nothing is reported while nothing changes: less where members were let in and none of them has been held. */
function silenceOf({ isNewlyLetIn }: Told, { calls, pending }: Snapshot): number {
  const isIdle = isNewlyLetIn && calls.size === 0 && pending > 0;
  return isIdle ? times.idle : times.reportAgain;
}

/** A gang that takes long to start, or a large one, must not cost more calls than another. */
function nextReportAfter({ at, reportAfter }: Told, now: number): number {
  return now < at + 2 * reportAfter
    ? Math.min(times.reportMost, 2 * reportAfter)
    : times.reportLeast;
}
