/**
 * PreFilter: whether the scheduler may try a gang group now.
 *
 * @module
 */
import {
  type Ahead,
  type Fit,
  gangId,
  type Group,
  type MemberFailure,
  type PolicyWord,
} from "../gang/facts.ts";
import { groupMissing, missing } from "../gang/quorum.ts";
import type { StartEstimate } from "../gang/gang_times.ts";
import type { Settings } from "../gang/settings.ts";
import { whatHelpsFit } from "../words/insufficient_resources.ts";
import { title, whyPending, withEstimate, withUntried } from "../words/why_pending.ts";
import type { Admission } from "./decision.ts";
import { degraded } from "./degraded.ts";
import { neededOf } from "./needed.ts";
import { obstacle } from "./obstacle.ts";
import type { GroupState } from "./state.ts";

/** What prefilter is asked. */
export interface PrefilterEvent {
  readonly stage: "prefilter";
  readonly group: Group;
  readonly fit?: Fit | undefined;
  /** A member that the scheduler takes on none of the nodes that have room: for what is said. */
  readonly refused?: MemberFailure | undefined;
  readonly ahead?: Ahead | undefined;
  /** A policy of the cluster's own lets it wait, if nothing else does. */
  readonly policy?: PolicyWord | undefined;
  /** For what is said of a group that waits for room: no verdict depends on it. */
  readonly estimate?: StartEstimate | undefined;
  /** The scheduler does not try its members: for what is said, too. */
  readonly untried?: boolean | undefined;
  /** The API server refuses to remove Muster's gates: for what is said, too. */
  readonly atGate?: boolean | undefined;
  readonly settings: Settings;
}

/** The verdict, with all that is said beside its reason. */
export function prefilter(state: GroupState, event: PrefilterEvent, now: number): Admission {
  const admission = judge(state, event, now);
  const message = withUntried(withStart(admission, event.estimate), { ...event, ...admission });
  return { ...admission, message };
}

/** What waits for room says when it is to come. */
function withStart(
  { reason, message }: Pick<Admission, "reason" | "message">,
  estimate: StartEstimate | undefined,
): string {
  const waits = reason === "InsufficientResources" || reason === "BehindInQueue";
  return waits && estimate ? withEstimate(message, estimate) : message;
}

/**
 * Rejects, in this order: what can not become whole; a round that failed a moment ago (S3 `scheduleCycleValid`); a fit
 * of fewer members than are still needed (S3, S4); a protected gang ahead; a policy of the cluster's own.
 */
function judge(state: GroupState, event: PrefilterEvent, now: number): Admission {
  const { group, fit, refused, ahead, policy, settings } = event;
  const obstructed = obstacle(group, settings);
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

  const needed = groupMissing(neededOf(group, { settings }).group, settings);
  // Nobody leaves for a group that a policy keeps waiting.
  const isLeftTo = fit?.leaving !== undefined && policy !== undefined;
  const broken = degraded(group, { needed });
  if (fit && fit.members + (fit.byPreemption ?? 0) < needed && !isLeftTo) {
    // Room for all that are there is too little, too.
    if (broken && fit.of < needed) return { verdict: "reject", ...broken };
    const short = { title: title(group), needed, fit, refused };
    const why = { reason: "InsufficientResources", ...short } as const;
    const help = whatHelpsFit(fit);
    return { verdict: "reject", ...whyPending(why), ...(help && { help }) };
  }

  if (ahead) {
    const why = whyPending({ reason: "BehindInQueue", title: title(group), ahead });
    return { verdict: "reject", ...why };
  }
  if (policy) {
    const why = whyPending({ reason: "CustomPolicy", title: title(group), policy });
    return { verdict: "reject", ...why, retryAfterSeconds: policy.askAgainSeconds };
  }
  const allow = { verdict: "allow", ...needsOf(group, settings) } as const;
  if (broken) return { ...allow, ...broken };
  const reason = needed === 0 ? "Satisfied" : "Admitted";
  return { ...allow, ...whyPending({ reason, title: title(group) }) };
}

function needsOf({ gangs }: Group, settings: Settings): { needs?: Record<string, number> } {
  if (gangs.length < 2) return {};
  return {
    needs: Object.fromEntries(gangs.map((facts) => [gangId(facts.gang), missing(facts, settings)])),
  };
}
