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
import * as z from "./zod.ts";

/** How long a gang is going to run. */
export const RunTime = z.named(
  "RunTime",
  z.object(() => ({
    seconds: duration,
    source: z.described(
      z.enum(["declared", "deadline", "learnt", "setting"]),
      "Its owner expects it; it may run no longer; 9 of 10 gangs like it ran no longer; or it is taken for granted of all",
    ),
    runs: z.described(z.optional(count), "By so many runs it was learnt"),
    median: z.described(z.optional(duration), "And half of them took no longer, in seconds"),
  })),
  "How long a gang is going to run, and where that is known from",
);

/** When a gang that waits is going to start. */
export const StartEstimate = z.named(
  "StartEstimate",
  z.object(() => ({
    startsAt: time,
    after: z.optional(gangId),
    isOverdue: z.optional(z.boolean()),
    domain: z.optional(sentence),
  })),
  "When a gang that waits is going to start, rounded; after is the gang that ends before it, which isOverdue if it has run " +
    "for longer than was expected, and domain where it is to run",
);

/** What gangs ask for together. */
export const Requests = z.record(resourceName, amount).check(
  z.refine((list) => Object.keys(list).length <= limits.resources, {
    error: `must not name more than ${limits.resources} resources`,
  }),
);

/** The times of one gang. */
export const GangTimes = z.named(
  "GangTimes",
  z.object(() => ({
    runTime: z.optional(RunTime),
    asks: z.described(
      z.optional(z.boolean()),
      "How long gangs like it ran is asked for: prefilter answers with runTimes",
    ),
    owner: z.optional(shortText(limits.value)),
    requests: z.optional(Requests),
    startedAt: z.optional(time),
    endedAt: z.optional(time),
    estimate: z.optional(StartEstimate),
  })),
  "When a gang ran and is going to; no decision reads it",
);
