/**
 * Conditions of PodGroups, of any kind.
 *
 * @module
 */
import type { Problem } from "../../core/gang/facts.ts";
import type { Condition } from "../types.ts";
import type { PodGroupStatus, StatusGiven, Summary } from "./summary.ts";

/** Of a gang that is placed. */
export const placed = { reason: "Scheduled", message: "as many members as are needed have a node" };
/** Of one that nobody is left of. */
export const noneLeft = "no member is left";

/** The condition of kube-batch and Volcano: true while a whole gang is kept waiting, or too few members run; each has its words for why. */
export function unschedulable(
  given: StatusGiven,
  { summary, inItsWords }: { summary: Summary; inItsWords: (refusal: Problem) => Problem },
): PodGroupStatus {
  const { phase, hasQuorum, isShort, left } = summary;
  const type = "Unschedulable";
  const { facts: { refusal }, before } = given;
  if (hasQuorum) {
    // It was never true of most gangs, and needs no mention then.
    return conditionIn(before, type)
      ? withCondition(given, { type, status: "False", ...placed })
      : {};
  }
  const isKeptWaiting = phase === "Scheduling" || (refusal?.reason === "Degraded" && isShort) ||
    isMismatch(refusal);
  if (refusal && isKeptWaiting) {
    return withCondition(given, { type, status: "True", ...inItsWords(refusal) });
  }
  const wasKeptWaiting = conditionIn(before, type)?.status === "True";
  return wasKeptWaiting && left === 0
    ? withCondition(given, { type, status: "False", reason: "MembersMissing", message: noneLeft })
    : {};
}

/** Its members are there, but some are not Muster's to place, and that does not pass by waiting. */
export function isMismatch(refusal: Problem | undefined): boolean {
  return refusal?.reason === "SchedulerMismatch";
}

/** All conditions, with this one as it is now; its time stays while its status does. */
export function withCondition(
  { facts, before }: {
    facts: Pick<StatusGiven["facts"], "now">;
    before: PodGroupStatus;
  },
  condition: Condition & Problem,
): PodGroupStatus {
  const { type, status, reason, message } = condition;
  const known = conditionIn(before, type);
  if (known?.status === status && known.reason === reason && known.message === message) return {};
  const lastTransitionTime = known?.status === status ? known.lastTransitionTime : undefined;
  const changed = { ...known, ...condition, lastTransitionTime: lastTransitionTime ?? facts.now };
  const conditions = conditionsOf(before);
  return {
    conditions: known
      ? conditions.map((other) => other === known ? changed : other)
      : [...conditions, changed],
  };
}

/** The condition of a type. */
export function conditionIn(status: PodGroupStatus, type: string): Condition | undefined {
  return conditionsOf(status).find((condition) => condition.type === type);
}

/** All of them. */
export function conditionsOf({ conditions }: PodGroupStatus): readonly Condition[] {
  return Array.isArray(conditions) ? conditions : [];
}
