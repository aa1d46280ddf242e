/**
 * What is taken of the functions' answers by whoever asks them over a network: somebody else may answer there, or a newer
 * version. What is added is left aside, a reason that is not known yet is one; long words are cut.
 *
 * @module
 */
import { limits } from "../core/gang/limits.ts";
import type { Admission, Decision } from "../core/stage/decision.ts";
import type { Reason } from "../core/words/reason.ts";
import { check } from "./check.ts";
import * as answers from "./stage_answers.ts";
import type { QueueSortAnswer } from "./types.ts";
import { count, filledText, gangId, seconds as amountOfSeconds, shortText } from "./values.ts";
import * as z from "./zod.ts";

const words = z.pipe(
  z.string(),
  z.transform((text: string) => text.slice(0, limits.sentence).toWellFormed()),
);
const reason = z.pipe(filledText(limits.reason), z.transform((text: string) => text as Reason));
const uids = longList(shortText(limits.gangId));
/** In a longer time the facts change. */
const seconds = z.pipe(
  amountOfSeconds,
  z.transform((value: number) => Math.min(value, 24 * 3600)),
);
const counts = z.record(gangId, count);
const leftOut = z.optional(z.record(gangId, z.object(() => ({ reason, message: words }))));

const read = {
  prefilter: z.extend(answers.Admission, {
    reason,
    message: words,
    help: z.optional(words),
    needs: z.optional(counts),
    whole: z.optional(counts),
    leftOut,
    retryAfterSeconds: z.optional(seconds),
    askAgain: z.optional(shortText(limits.groupNames)),
  }),
  decision: z.extend(answers.Decision, {
    reason,
    message: words,
    allow: uids,
    wait: uids,
    reject: uids,
    whole: z.optional(counts),
    leftOut,
    askAgainSeconds: z.optional(seconds),
  }),
  queueSort: z.object(() => ({
    keys: longList(z.object(() => ({
      id: shortText(limits.gangId),
      key: shortText(limits.groupNames + limits.gangId),
    }))),
  })),
};

/** An answer of prefilter; throws a `TypeError` that says what is wrong with it. */
export function admissionIn(value: unknown): Admission {
  return inContract(read.prefilter, value);
}

/** An answer of permit, postfilter or unreserve; throws a `TypeError` that says what is wrong with it. */
export function decisionIn(value: unknown): Decision {
  return inContract(read.decision, value);
}

/** An answer of queue-sort; throws a `TypeError` that says what is wrong with it. */
export function keysIn(value: unknown): QueueSortAnswer {
  return inContract(read.queueSort, value);
}

function longList<Item extends z.ZodMiniType>(item: Item) {
  return z.array(item).check(z.maxLength(limits.members, { abort: true }));
}

function inContract<Schema extends z.ZodMiniType>(
  schema: Schema,
  value: unknown,
): z.output<Schema> {
  const { success, data, error } = check(schema, value);
  if (success) return data;
  const [{ path, message }] = error.issues as [z.core.$ZodIssue];
  const where = path.length === 0 ? "It" : `"${path.map(String).join(".").slice(0, 100)}"`;
  throw new TypeError(`${where} does not follow the contract: ${message.slice(0, 200)}`);
}
