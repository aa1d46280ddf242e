/**
 * What is taken of the functions' answers by whoever asks them over a network: somebody else may answer there, or a newer
 * version. What is added is left aside, a reason that is not known yet is one; long words are cut.
 *
 * @module
 */
import { limits } from "../core/gang/limits.ts";
import type { Admission, Decision } from "../core/stage/decision.ts";
import type { Reason } from "../core/words/reason.ts";
import { inContract } from "./check.ts";
import * as answers from "./stage_answers.ts";
import type { QueueSortAnswer } from "./types.ts";
import { count, filledText, gangId, seconds as amountOfSeconds, shortText } from "./values.ts";
import * as v from "./valibot.ts";

const words = v.pipe(
  v.string(),
  v.transform((text: string) => text.slice(0, limits.sentence).toWellFormed()),
);
const reason = v.pipe(filledText(limits.reason), v.transform((text: string) => text as Reason));
const uids = longList(shortText(limits.gangId));
/** In a longer time the facts change. */
const seconds = v.pipe(
  amountOfSeconds,
  v.transform((value: number) => Math.min(value, 24 * 3600)),
);
const counts = v.record(gangId, count);
const leftOut = v.optional(v.record(gangId, v.object({ reason, message: words })));

/** The name of a gang group: its names, a gang that does not name itself, and the commas between them. */
const longestGroup = limits.groupNames + limits.gangId + limits.groupGangs;
/** What is before it in a key. */
const keyHead = 64;

const read = {
  prefilter: v.object({
    ...answers.Admission.entries,
    reason,
    message: words,
    help: v.optional(words),
    needs: v.optional(counts),
    whole: v.optional(counts),
    leftOut,
    retryAfterSeconds: v.optional(seconds),
    askAgain: v.optional(shortText(longestGroup)),
  }),
  decision: v.object({
    ...answers.Decision.entries,
    reason,
    message: words,
    allow: uids,
    wait: uids,
    reject: uids,
    whole: v.optional(counts),
    leftOut,
    askAgainSeconds: v.optional(seconds),
  }),
  queueSort: v.object({
    keys: longList(v.object({
      id: shortText(limits.gangId),
      key: shortText(longestGroup + keyHead),
    })),
    askAgainSeconds: v.optional(seconds),
    index: v.optional(shortText(limits.value)),
  }),
};

/** An answer of prefilter; throws a `TypeError` that says what is wrong with it. */
export function admissionIn(value: unknown): Admission {
  return taken(read.prefilter, value);
}

/** An answer of permit, postfilter or unreserve; throws a `TypeError` that says what is wrong with it. */
export function decisionIn(value: unknown): Decision {
  return taken(read.decision, value);
}

/** An answer of queue-sort; throws a `TypeError` that says what is wrong with it. */
export function keysIn(value: unknown): QueueSortAnswer {
  return taken(read.queueSort, value);
}

function longList<Item extends v.GenericSchema>(item: Item) {
  return v.pipe(v.array(item), v.maxLength(limits.members));
}

function taken<Schema extends v.GenericSchema>(
  schema: Schema,
  value: unknown,
): v.InferOutput<Schema> {
  const fail = (wrong: string) => new TypeError(`It does not follow the contract: ${wrong}`);
  return inContract(value, { schema, fail });
}
