/**
 * The status of a PodGroup in Volcano's words, which its operators wait for.
 *
 * @module
 */
import type { Problem } from "../../core/gang/facts.ts";
import { conditionIn, noneLeft, placed, unschedulable, withCondition } from "./conditions.ts";
import { type PodGroupStatus, type StatusGiven, type Summary, summaryOf } from "./summary.ts";

/** What Volcano's own scheduler is called. */
const volcano = "volcano";

/**
 * Phase, counts and conditions. Operators create no pod before `Inqueue`, and none any more where a PodGroup falls back behind
 * it. One without pods does not tell whose they will be: it is Muster's where Muster answers to Volcano's name, or has told of its
 * pods before.
 */
export function volcanoStatus(given: StatusGiven): PodGroupStatus | undefined {
  const { facts, before } = given;
  const { members, schedulerNames } = facts;
  if (members.length === 0 && !schedulerNames.includes(volcano) && !isTold(before)) {
    return undefined;
  }
  const summary = summaryOf(given);
  const { running, succeeded, failed } = summary;
  const isFew = summary.left + succeeded < (facts.minMember ?? 0);
  const words = (refusal: Problem) => inItsWords(refusal, { isFew });
  const kept = unschedulable(given, { summary, inItsWords: words });
  return {
    phase: phaseOf(summary, given),
    ...kept,
    ...(summary.hasQuorum && scheduled({ ...given, before: { ...before, ...kept } })),
    running,
    succeeded,
    failed,
  };
}

/** Whether a condition is in Muster's words, which are a sentence about the gang where its pods wait. */
function isTold(before: PodGroupStatus): boolean {
  return ["Scheduled", "Unschedulable"].some((type) => {
    const { message = "" } = conditionIn(before, type) ?? {};
    return [placed.message, noneLeft].includes(message) || message.startsWith("gang ");
  });
}

function phaseOf(summary: Summary, { facts, before }: StatusGiven): string {
  const { hasQuorum, left, running, succeeded, failed } = summary;
  const haveEnded = succeeded + failed >= (facts.minMember ?? Infinity);
  if (left === 0 && (haveEnded || before["phase"] === "Completed")) return "Completed";
  if (hasQuorum) return "Running";
  return running > 0 ? "Unknown" : "Inqueue";
}

/** Once true it stays so, as with Volcano. */
function scheduled(given: StatusGiven): PodGroupStatus {
  const type = "Scheduled";
  return conditionIn(given.before, type)?.status === "True"
    ? {}
    : withCondition(given, { type, status: "True", ...placed });
}

/** Volcano has two reasons, and leaves the rest to the message. */
function inItsWords({ reason, message }: Problem, { isFew }: { isFew: boolean }): Problem {
  const lacksTasks = ["GroupIncomplete", "SchedulerMismatch"].includes(reason) ||
    (reason === "Degraded" && isFew);
  return { reason: lacksTasks ? "NotEnoughTasks" : "NotEnoughResources", message };
}
