/**
 * Held members: when permit, postfilter and unreserve are asked about them, and what follows from the answer.
 *
 * @module
 */
import type { Decision } from "../stage/decision.ts";
import { gangId } from "../gang/facts.ts";
import { limits } from "../gang/limits.ts";
import { refuse } from "./admission.ts";
import type { Asking, Attended } from "./attended.ts";
import type { Advanced, Effect } from "./effect.ts";
import { gatheredAt } from "./gathering.ts";
import { askAgainOf } from "./own_stage.ts";
import type { DecisionQuestion, Question } from "./question.ts";
import { isUnplaced } from "./refusal.ts";
import { isLearntSince } from "./refused_nodes.ts";
import { type Call, openCalls, type Snapshot } from "./snapshot.ts";
import { strandedCalls } from "./stranded.ts";
import { roundFailed } from "./vain_evictions.ts";

/** Whether something happened that the last decision did not know, or its time is over. */
export function isDecisionDue(attended: Attended, snapshot: Snapshot, now: number): boolean {
  const { lost, standing, round } = attended;
  if (lost.length > 0 || (standing.phase === "let in" && standing.hasNewFailure)) return true;
  if (now < callsGatheredAt(snapshot)) return false;
  if (!isOpen(round) || now >= round.askAgainAt) return true;
  // The wait begins with the first held member, and its end is not known from an answer without any.
  if (round.held === 0 || round.specs !== snapshot.specs) return true;
  // Members that come are told of when enough of them are held.
  const isLess = snapshot.present < round.present;
  return isLess || openCalls(snapshot).length >= round.held + needOf(round.decision);
}

/** A policy of a team's own may say that nobody else is needed, and let them wait all the same. */
function needOf({ need = 1 }: Decision): number {
  return Math.max(1, need);
}

/** When a decision is due by time alone, in ms since the epoch; Infinity: it is not. */
export function decisionDueAt({ round }: Attended, snapshot: Snapshot, now: number): number {
  const gatheredAt = callsGatheredAt(snapshot);
  if (now < gatheredAt) return gatheredAt;
  return isOpen(round) ? round.askAgainAt : Infinity;
}

/** Whether members wait for a round's end; of those that may bind some may have to wait for others. */
function isOpen(round: Attended["round"]): round is NonNullable<Attended["round"]> {
  return round !== undefined &&
    (round.decision.verdict === "wait" || round.decision.wait.length > 0);
}

/** From when on it is worth asking about the open calls, in ms since the epoch: siblings follow at once. Infinity: none is open. */
function callsGatheredAt(snapshot: Snapshot): number {
  const opened = openCalls(snapshot).map(({ openedAt }) => openedAt);
  const first = Math.min(...opened);
  if (snapshot.pending === 0 || opened.length === 0) return first;
  return gatheredAt({ first, last: Math.max(...opened) });
}

/** The stage that what happened calls for. */
export function decisionQuestion(
  { lost, standing }: Attended,
  { group }: Snapshot,
): DecisionQuestion {
  if (lost.length > 0) return { stage: "unreserve", request: { ...group, lost } };
  if (standing.phase === "let in" && standing.hasNewFailure) {
    const failed = [...standing.failed.values()].slice(0, limits.members);
    return { stage: "postfilter", request: { ...group, failed } };
  }
  return { stage: "permit", request: group };
}

/** What the functions said last to such a question; undefined: nothing that still stands. */
export function lastSaid(
  { standing, round }: Attended,
  { stage }: Pick<Question, "stage">,
): string | undefined {
  if (stage !== "prefilter") return round?.decision.message;
  return standing.phase === "collecting" ? undefined : standing.why.message;
}

/** Nothing is left of the group for the functions to remember. */
export function goneQuestion({ group }: Snapshot): DecisionQuestion {
  const lost = group.gangs.map(({ gang }) => {
    const { namespace, name } = gang;
    const id = gangId(gang);
    return { pod: { namespace, name, uid: id }, cause: "gone", gang: id } as const;
  });
  return { stage: "unreserve", request: { ...group, lost } };
}

/** Whether a question says that the group is gone. */
export function saysGone(question: Question): boolean {
  return question.stage === "unreserve" &&
    question.request.lost.some(({ cause }) => cause === "gone");
}

/** A stage is being asked: what it is told is not to be told again. */
export function decisionAsked(attended: Attended, { stage }: DecisionQuestion): Attended {
  const { standing } = attended;
  if (stage === "unreserve") return { ...attended, lost: [] };
  if (stage !== "postfilter" || standing.phase !== "let in") return attended;
  return { ...attended, standing: { ...standing, hasNewFailure: false } };
}

/** The question got no answer: what it told is still to be told. */
export function decisionUnanswered(attended: Attended, question: DecisionQuestion): Attended {
  const { standing } = attended;
  if (question.stage === "unreserve") {
    if (saysGone(question)) return attended;
    return { ...attended, lost: [...question.request.lost, ...attended.lost] };
  }
  if (question.stage !== "postfilter" || standing.phase !== "let in") return attended;
  return { ...attended, standing: { ...standing, hasNewFailure: true } };
}

/** Whether members came for whom those that succeeded may not be counted any more (S4). */
function mayReplace({ present, group }: Snapshot, asking: Asking): boolean {
  return present > asking.present && group.gangs.some(({ census }) => census.succeeded > 0);
}

/** What a stage answered, to what, and the facts now. */
interface Answered {
  readonly decision: Decision;
  readonly asking: Asking;
  readonly snapshot: Snapshot;
  readonly now: number;
}

/** A stage has answered. What was lost or declared meanwhile may forbid what it allows: then only facts that know it can allow. */
export function decisionAnswered(attended: Attended, answered: Answered): Advanced {
  const { decision, asking, now } = answered;
  const isCurrent = knowsAll(attended, answered);
  const { bound, released } = callsNamed(answered, isCurrent);
  const effects: Effect[] = [
    ...countRound(decision, { asking, now }),
    ...bound.map((call) => ({ do: "bind", call }) as const),
    ...released.map((call) => ({ do: "release", call, sentence: decision.message }) as const),
    ...(decision.park ? [{ do: "park" } as const] : []),
  ];
  const decided: Attended = {
    ...attended,
    failedAt: decision.failedAt,
    round: isCurrent ? roundOf(decision, { asking, now }) : undefined,
    // Members that were held need room again.
    ...(released.length > 0 && { plan: undefined }),
  };
  if (decision.verdict !== "reject") return { attended: decided, effects };
  // Who is let in before prefilter has been asked again would be held, and only the scheduler knows what fits then.
  const { reason, message } = decision;
  const refused = refuse(
    { ...decided, ...evictionsAfter(attended, now) },
    { reason, message },
    now,
  );
  return { attended: { ...refused, told: undefined, retryAt: Infinity }, effects };
}

/** Whether an answer knows all that may forbid what it allows. */
function knowsAll({ weakened }: Attended, { asking, snapshot }: Answered): boolean {
  return weakened === asking.weakened && snapshot.specs === asking.specs &&
    !mayReplace(snapshot, asking) && strandedCalls(snapshot).length === 0;
}

/** Of the calls that it was asked about, and that are still open, those that an answer has bound or let go. */
function callsNamed(
  { decision, asking, snapshot }: Answered,
  isCurrent: boolean,
): { bound: Call[]; released: Call[] } {
  const asked = new Set(asking.calls.map(({ id }) => id));
  const named = (uids: readonly string[]): Call[] =>
    uids.flatMap((uid) => {
      const call = snapshot.calls.get(uid);
      return call && asked.has(call.id) && !call.isGranted ? [call] : [];
    });
  return { bound: isCurrent ? named(decision.allow) : [], released: named(decision.reject) };
}

function roundOf(
  decision: Decision,
  { asking, now }: Pick<Answered, "asking" | "now">,
): NonNullable<Attended["round"]> {
  const { specs, present } = asking;
  // A policy of a team's own need not say when.
  const askAgainAt = now + askAgainOf(decision.askAgainSeconds) * 1000;
  return { decision, specs, present, held: stayingOf(decision, asking), askAgainAt };
}

/** How many of those that it was asked about stay held: whom it neither allows nor rejects, because a policy may name nobody. */
function stayingOf({ allow, reject }: Decision, { calls }: Asking): number {
  const gone = new Set([...allow, ...reject]);
  return calls.filter(({ pod }) => !gone.has(pod.uid)).length;
}

function evictionsAfter(attended: Attended, now: number): Partial<Attended> {
  const { standing, vainEvictions, refused, refusedNodes } = attended;
  if (standing.phase !== "let in") return {};
  const { failed, at } = standing;
  const isRefused = isLearntSince(refusedNodes, at) &&
    [...failed.keys()].some((uid) => isUnplaced(refused.get(uid)?.reason ?? ""));
  return { vainEvictions: roundFailed(vainEvictions, { failed: failed.values(), isRefused, now }) };
}

function countRound(
  decision: Decision,
  { asking, now }: { asking: Asking; now: number },
): Effect[] {
  if (decision.verdict === "wait" || asking.calls.length === 0) return [];
  const first = Math.min(...asking.calls.map(({ openedAt }) => openedAt));
  return [{ do: "count round", decision, heldMs: now - first }];
}
