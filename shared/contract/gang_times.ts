/**
 * When gangs ran and are going to: schemas of the HTTP contract.
 *
 * @module
 */
import { limits } from "../core/gang/limits.ts";
import {
  amount,
  count,
  duration,
  gangId,
  resourceName,
  sentence,
  shortText,
  time,
} from "./values.ts";
import * as v from "./valibot.ts";

/** How long a gang is going to run. */
export const RunTime = v.named(
  "RunTime",
  v.object({
    seconds: duration,
    source: v.described(
      v.picklist(["declared", "deadline", "learnt", "setting"]),
      "Its owner expects it; it may run no longer; 9 of 10 gangs like it ran no longer; or it is taken for granted of all",
    ),
    runs: v.described(v.optional(count), "By so many runs it was learnt"),
    median: v.described(v.optional(duration), "And half of them took no longer, in seconds"),
  }),
  "How long a gang is going to run, and where that is known from",
);

/** When a gang that waits is going to start. */
export const StartEstimate = v.named(
  "StartEstimate",
  v.object({
    startsAt: time,
    after: v.optional(gangId),
    isOverdue: v.optional(v.boolean()),
    domain: v.optional(sentence),
  }),
  "When a gang that waits is going to start, rounded; after is the gang that ends before it, which isOverdue if it has run " +
    "for longer than was expected, and domain where it is to run",
);

/** What gangs ask for together. */
export const Requests = v.pipe(
  v.record(resourceName, amount),
  v.check(
    (list) => Object.keys(list).length <= limits.resources,
    `must not name more than ${limits.resources} resources`,
  ),
);

/** The times of one gang. */
export const GangTimes = v.named(
  "GangTimes",
  v.object({
    runTime: v.optional(RunTime),
    asks: v.described(
      v.optional(v.boolean()),
      "How long gangs like it ran is asked for: prefilter answers with runTimes",
    ),
    owner: v.optional(shortText(limits.value)),
    requests: v.optional(Requests),
    startedAt: v.optional(time),
    endedAt: v.optional(time),
    estimate: v.optional(StartEstimate),
  }),
  "When a gang ran and is going to; no decision reads it",
);
