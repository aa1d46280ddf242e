/**
 * What is due of a gang group now: said, asked, or waited for.
 *
 * @module
 */
import { admissionAsked, admissionDueAt, isAdmissionDue, prefilterQuestion } from "./admission.ts";
import { type Asking, type Attended, isLetIn } from "./attended.ts";
import {
  decisionAsked,
  decisionDueAt,
  decisionQuestion,
  goneQuestion,
  isDecisionDue,
} from "./decision.ts";
import { type Advanced, type Effect, inTurn } from "./effect.ts";
import { evict } from "./eviction.ts";
import { noticeStanding, standingAt } from "./failure.ts";
import { gatedDueAt, tellGated } from "./gated_members.ts";
import { gatheredAt } from "./gathering.ts";
import { nominate, nominateCleared, takeBack, takesBackAt } from "./nomination.ts";
import type { Question } from "./question.ts";
import { nextEvictsAt, wakeWhoMayEvict } from "./left_to_group.ts";
import { retell, retellAt, wakeAllowed } from "./refusal.ts";
import { isLeftAlone } from "./left_alone.ts";
import { learnUntaken } from "./learn_failure.ts";
import { openCalls, type Snapshot } from "./snapshot.ts";
import { letStrandedGo } from "./stranded.ts";
import { surplusDueAt } from "./surplus.ts";
import { noticeUnplaced, wakePlaced } from "./unplaced.ts";

/** What a look is taken by. */
export interface Sight {
  readonly snapshot: Snapshot;
  /** Longest time that a call may be held, in ms. */
  readonly longestHold: number;
}

/** Does what is due: calls that lasted too long, what members are told, and one question; or says when to look again. */
export function look(attended: Attended, sight: Sight, now: number): Advanced {
  const { snapshot } = sight;
  if (snapshot.isGone || snapshot.isForeign) return withdraw(attended, snapshot, now);
  const without = letStrandedGo(attended, snapshot);
  if (without) return without;
  const overdue = letOverdueGo(sight, now);
  if (overdue.length > 0) {
    // An answer on its way may allow the others, and not for so few.
    const fewer = { ...attended, weakened: attended.weakened + 1, plan: undefined };
    return { attended: fewer, effects: [...overdue, { do: "look" }] };
  }
  return inTurn(attended, [
    (attended) => retell(attended, snapshot, now),
    (attended) => wakeAllowed(attended, snapshot, now),
    (attended) => wakePlaced(attended),
    (attended) => tellGated(attended, snapshot, now),
    (attended) => nominate(attended, snapshot),
    (attended) => evict(attended, snapshot),
    nominateCleared,
    (attended) => takeBack(attended, snapshot, now),
    (attended) => wakeWhoMayEvict(attended, now),
    (attended) => ({ attended: noticeStanding(attended, snapshot, now), effects: [] }),
    (attended) => ({ attended: learnUntaken(attended, snapshot, now), effects: [] }),
    (attended) => ({ attended: noticeUnplaced(attended, snapshot), effects: [] }),
    (attended) => ask(attended, snapshot, now),
    (attended) => ({ attended, effects: wake(attended, sight, now) }),
  ]);
}

/** The functions hear of a group no more that is gone or not Muster's; what they knew of it they forget. */
function withdraw(attended: Attended, snapshot: Snapshot, now: number): Advanced {
  const { asking, retryAt, standing, round } = attended;
  if (asking) return { attended, effects: [] };
  if (standing.phase === "collecting" && !round) {
    return { attended, effects: snapshot.isGone ? [{ do: "forget" }] : [] };
  }
  const isUnanswered = standing.phase === "refused" &&
    ["FunctionsUnreachable", "FactsRefused"].includes(standing.why.reason);
  if (isUnanswered && now < retryAt) return { attended, effects: [{ do: "wake", at: retryAt }] };
  return asked(attended, goneQuestion(snapshot), snapshot);
}

/** Lets calls go that have been held as long as one call may last; their pods come back into the same round. */
function letOverdueGo({ snapshot, longestHold }: Sight, now: number): Effect[] {
  const seconds = Math.round(longestHold / 1000);
  const sentence = `held for ${seconds} s, as long as one call may last: the pod is tried again`;
  return openCalls(snapshot).filter(({ openedAt }) => now >= openedAt + longestHold)
    .map((call) => ({ do: "release", call, sentence }));
}

/** One question at a time for one group; about held members first. */
function ask(attended: Attended, snapshot: Snapshot, now: number): Advanced {
  if (attended.asking || isAlone(attended, snapshot, now)) return { attended, effects: [] };
  if (isDecisionDue(attended, snapshot, now)) {
    const question = decisionQuestion(attended, snapshot);
    return asked(decisionAsked(attended, question), question, snapshot);
  }
  if (!isAdmissionDue(attended, snapshot, now)) return { attended, effects: [] };
  const question = prefilterQuestion(attended, snapshot, now);
  return asked(admissionAsked(attended, snapshot, now), question, snapshot);
}

/** Whether the functions do not take these facts: nothing is asked, and nothing held is waited for. */
function isAlone({ leftAlone }: Attended, { specs }: Snapshot, now: number): boolean {
  return isLeftAlone(leftAlone, { specs, now });
}

function asked(attended: Attended, question: Question, snapshot: Snapshot): Advanced {
  const asking = askingOf(question, { attended, snapshot });
  return { attended: { ...attended, asking }, effects: [{ do: "ask", question }] };
}

function askingOf(
  question: Question,
  { attended, snapshot }: { attended: Attended; snapshot: Snapshot },
): Asking {
  const { specs, present } = snapshot;
  return {
    question,
    weakened: attended.weakened,
    specs,
    present,
    calls: openCalls(snapshot),
    wasLetIn: isLetIn(attended),
  };
}

function wake(attended: Attended, sight: Sight, now: number): Effect[] {
  const at = dueAt(attended, sight, now);
  return at < Infinity ? [{ do: "wake", at }] : [];
}

/** When something is due by time alone, in ms since the epoch; Infinity: nothing is. */
function dueAt(attended: Attended, { snapshot, longestHold }: Sight, now: number): number {
  const opened = openCalls(snapshot).map(({ openedAt }) => openedAt);
  // What was due when the look was taken has been done.
  const notYet = (at: number) => at > now ? at : Infinity;
  const spoken = Math.min(
    ...opened.map((at) => at + longestHold),
    retellAt(attended, snapshot),
    gatedDueAt(attended, snapshot),
    takesBackAt(attended, snapshot),
    surplusDueAt(attended, now),
    nextEvictsAt(attended, now),
  );
  if (attended.asking) return spoken;
  if (isAlone(attended, snapshot, now)) return Math.min(spoken, attended.retryAt);
  const isCollecting = attended.standing.phase === "collecting";
  return Math.min(
    spoken,
    decisionDueAt(attended, snapshot, now),
    standingAt(attended, snapshot),
    isCollecting ? notYet(gatheredAt(attended.arrivals)) : Infinity,
    admissionDueAt(attended, snapshot),
  );
}
