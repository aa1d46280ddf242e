/**
 * What the stages answer: schemas of the HTTP contract, for types, documents, and whoever asks.
 *
 * @module
 */
import { limits } from "../core/gang/limits.ts";
import { reasons } from "../core/words/reason.ts";
import { MatchPolicy } from "./gang_spec.ts";
import { RunTime } from "./gang_times.ts";
import { count, seconds, shortText, time } from "./values.ts";
import * as z from "./zod.ts";

/** Why something is as it is, in one word. */
export const Reason = z.named(
  "Reason",
  z.enum(reasons),
  "Shared by answers, events, logs and metrics",
);
/** And in a sentence. */
export const message = z.described(z.string(), "One sentence a person can act on");

const whole = z.described(
  z.optional(z.record(z.string(), count)),
  "Gangs that were whole once, with the largest minMember at which they were: queue-sort is told it as wholeAt",
);

const leftOut = z.described(
  z.optional(z.record(z.string(), z.object(() => ({ reason: Reason, message })))),
  "Of gangs that their group can do without, and that are left out: why they wait",
);

/** Answer of prefilter. */
export const Admission = z.named(
  "Admission",
  z.object(() => ({
    verdict: z.enum(["allow", "reject"]),
    reason: Reason,
    message,
    help: z.described(
      z.optional(z.string()),
      "What would help, where that does not follow from the reason",
    ),
    need: z.optional(count),
    needs: z.optional(z.record(z.string(), count)),
    retryAfterSeconds: z.optional(seconds),
    whole,
    leftOut,
    matchPolicy: z.described(z.optional(MatchPolicy), "How gangs are counted that name no policy"),
    askAgain: z.optional(z.string()),
    runTimes: z.described(
      z.optional(z.record(z.string(), RunTime)),
      "Of gangs whose times ask for it, as far as gangs like them ran",
    ),
  })),
  "Whether the scheduler may try the group's members now",
);

/** Answer of permit, postfilter and unreserve. */
export const Decision = z.named(
  "Decision",
  z.object(() => ({
    verdict: z.enum(["allow", "wait", "reject"]),
    allow: z.array(z.string()),
    wait: z.array(z.string()),
    reject: z.array(z.string()),
    need: z.optional(count),
    deadline: z.optional(time),
    askAgainSeconds: z.optional(seconds),
    park: z.optional(z.boolean()),
    failedAt: z.optional(time),
    whole,
    leftOut,
    reason: Reason,
    message,
  })),
  "What should be true of the held members, uid by uid",
);

/** Answer of admit. */
export const AdmitAnswer = z.named(
  "AdmitAnswer",
  z.object(() => ({
    verdict: z.enum(["allow", "wait"]),
    reason: z.described(
      z.optional(shortText(limits.reason)),
      "What the policy calls it, in one word: BudgetUsedUp",
    ),
    message: z.described(
      z.optional(z.string()),
      `Why it waits, for its owner; ${limits.policyWord} letters of it are shown`,
    ),
    askAgainSeconds: z.described(
      z.optional(seconds),
      "When it is asked again, if nothing changes before",
    ),
  })),
  "Whether a gang group that could start may",
);

/** Answer of queue-sort. */
export const QueueSortAnswer = z.named(
  "QueueSortAnswer",
  z.object(() => ({
    keys: z.array(z.object(() => ({ id: z.string(), key: z.string() }))),
    askAgainSeconds: z.described(
      z.optional(seconds),
      "For so long the keys hold; absent: until the units change",
    ),
  })),
  "String order of the keys is scheduling order",
);

/** RFC 9457. */
export const ProblemDetails = z.named(
  "ProblemDetails",
  z.object(() => ({
    type: z.string(),
    title: z.string(),
    status: z.int(),
    detail: z.optional(z.string()),
    errors: z.optional(z.array(z.object(() => ({ path: z.string(), message: z.string() })))),
  })),
  "An RFC 9457 problem; errors names the bad fields",
);
