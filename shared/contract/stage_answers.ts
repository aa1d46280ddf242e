/**
 * What the stages answer: schemas of the HTTP contract, for types, documents, and whoever asks.
 *
 * @module
 */
import { limits } from "../core/gang/limits.ts";
import { reasons } from "../core/words/reason.ts";
import { MatchPolicy } from "./gang_spec.ts";
import { RunTime } from "./gang_times.ts";
import { count, integer, seconds, shortText, time } from "./values.ts";
import * as v from "./valibot.ts";

/** Why something is as it is, in one word. */
export const Reason = v.named(
  "Reason",
  v.picklist(reasons),
  "Shared by answers, events, logs and metrics",
);
/** And in a sentence. */
export const message = v.described(v.string(), "One sentence a person can act on");

const whole = v.described(
  v.optional(v.record(v.string(), count)),
  "Gangs that were whole once, with the largest minMember at which they were: queue-sort is told it as wholeAt",
);

const leftOut = v.described(
  v.optional(v.record(v.string(), v.object({ reason: Reason, message }))),
  "Of gangs that their group can do without, and that are left out: why they wait",
);

/** Answer of prefilter. */
export const Admission = v.named(
  "Admission",
  v.object({
    verdict: v.picklist(["allow", "reject"]),
    reason: Reason,
    message,
    help: v.described(
      v.optional(v.string()),
      "What would help, where that does not follow from the reason",
    ),
    need: v.optional(count),
    needs: v.optional(v.record(v.string(), count)),
    retryAfterSeconds: v.optional(seconds),
    whole,
    leftOut,
    matchPolicy: v.described(v.optional(MatchPolicy), "How gangs are counted that name no policy"),
    askAgain: v.optional(v.string()),
    runTimes: v.described(
      v.optional(v.record(v.string(), RunTime)),
      "Of gangs whose times ask for it, as far as gangs like them ran",
    ),
  }),
  "Whether the scheduler may try the group's members now",
);

/** Answer of permit, postfilter and unreserve. */
export const Decision = v.named(
  "Decision",
  v.object({
    verdict: v.picklist(["allow", "wait", "reject"]),
    allow: v.array(v.string()),
    wait: v.array(v.string()),
    reject: v.array(v.string()),
    need: v.optional(count),
    deadline: v.optional(time),
    askAgainSeconds: v.optional(seconds),
    park: v.optional(v.boolean()),
    failedAt: v.optional(time),
    whole,
    leftOut,
    reason: Reason,
    message,
  }),
  "What should be true of the held members, uid by uid",
);

/** Answer of admit. */
export const AdmitAnswer = v.named(
  "AdmitAnswer",
  v.object({
    verdict: v.picklist(["allow", "wait"]),
    reason: v.described(
      v.optional(shortText(limits.reason)),
      "What the policy calls it, in one word: BudgetUsedUp",
    ),
    message: v.described(
      v.optional(v.string()),
      `Why it waits, for its owner; ${limits.policyWord} letters of it are shown`,
    ),
    askAgainSeconds: v.described(
      v.optional(seconds),
      "When it is asked again, if nothing changes before",
    ),
  }),
  "Whether a gang group that could start may",
);

/** Answer of queue-sort. */
export const QueueSortAnswer = v.named(
  "QueueSortAnswer",
  v.object({
    keys: v.array(v.object({ id: v.string(), key: v.string() })),
    askAgainSeconds: v.described(
      v.optional(seconds),
      "For so long the keys hold; absent: until the units change",
    ),
    index: v.described(
      v.optional(shortText(limits.value)),
      "Without units: the name of the index that lists gangs. Another one than before has lost them all: it is told again by a relay that names itself anew",
    ),
  }),
  "String order of the keys is scheduling order",
);

/** RFC 9457. */
export const ProblemDetails = v.named(
  "ProblemDetails",
  v.object({
    type: v.string(),
    title: v.string(),
    status: integer,
    detail: v.optional(v.string()),
    errors: v.optional(v.array(v.object({ path: v.string(), message: v.string() }))),
  }),
  "An RFC 9457 problem; errors names the bad fields",
);
