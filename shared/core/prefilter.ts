/**
 * PreFilter: whether the scheduler may try a gang group now.
 *
 * @module
 */
import type { Admission } from "./decision.ts";
import { type Ahead, type Fit, gangId, type Group } from "./facts.ts";
import { obstacle } from "./obstacle.ts";
import { alive, groupMissing, missing } from "./quorum.ts";
import type { Settings } from "./settings.ts";
import type { GroupState } from "./state.ts";

/** What prefilter is asked. */
export interface PrefilterEvent {
  readonly stage: "prefilter";
  readonly group: Group;
  readonly fit?: Fit | undefined;
  readonly ahead?: Ahead | undefined;
  readonly settings: Settings;
}

/**
 * Rejects, in this order: what can not become whole; a round that failed a moment ago (S3 `scheduleCycleValid`); a fit
 * of fewer members than are still needed (S3, S4); a protected gang ahead.
 */
export function prefilter(state: GroupState, event: PrefilterEvent, now: number): Admission {
  const { group, fit, ahead, settings } = event;
  const obstructed = obstacle(group);
  if (obstructed) return { verdict: "reject", ...obstructed };

  const { failure } = state;
  if (failure && now < failure.closedUntil) {
    const seconds = Math.ceil((failure.closedUntil - now) / 1000);
    return {
      verdict: "reject",
      reason: failure.reason,
      message: failure.message,
      retryAfterSeconds: seconds,
    };
  }

  const needed = groupMissing(group, settings);
  if (fit && fit.members + (fit.byPreemption ?? 0) < needed) {
    const lack = fit.shortOf ? `: short of ${fit.shortOf}` : "";
    const message = `${
      title(group)
    } needs room for ${needed} more members and finds it for ${fit.members}${lack}`;
    return { verdict: "reject", reason: "InsufficientResources", message };
  }

  if (ahead) {
    const message = `${
      title(group)
    } waits behind gang ${ahead.gang}, which is kept from being passed since ${ahead.since}`;
    return { verdict: "reject", reason: "BehindInQueue", message };
  }
  const allow = { verdict: "allow", ...needsOf(group, settings) } as const;
  const broken = degraded(group);
  if (broken) return { ...allow, reason: "Degraded", message: broken };
  return needed === 0
    ? { ...allow, reason: "Satisfied", message: `${title(group)} is satisfied` }
    : { ...allow, reason: "Admitted", message: `${title(group)} may be scheduled` };
}

function needsOf({ gangs }: Group, settings: Settings): { needs?: Record<string, number> } {
  if (gangs.length < 2) return {};
  return {
    needs: Object.fromEntries(gangs.map((facts) => [gangId(facts.gang), missing(facts, settings)])),
  };
}

/** S4: some members run, but succeeded, pending and running ones are fewer than minMember. */
function degraded(group: Group): string | undefined {
  for (const facts of group.gangs) {
    const left = alive(facts) + facts.census.succeeded;
    if (facts.census.bound === 0 || left >= facts.gang.minMember) continue;
    return `gang ${
      gangId(facts.gang)
    } runs with ${left} of ${facts.gang.minMember} members: the others are gone, so ` +
      "create them anew or delete the gang";
  }
  return undefined;
}

/** `gang ns/a`, or `gang group ns/a, ns/b`. */
export function title(group: Group): string {
  const ids = group.gangs.map((facts) => gangId(facts.gang));
  return ids.length === 1 ? `gang ${ids[0]}` : `gang group ${ids.sort().join(", ")}`;
}
