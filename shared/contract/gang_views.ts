/**
 * What `GET /v1/gangs`, `GET /v1/gangs/{namespace}/{name}` and `GET /v1/runs` answer.
 *
 * @module
 */
import { GangSpec } from "./gang_spec.ts";
import { Requests, RunTime, StartEstimate } from "./gang_times.ts";
import { Census, GangPod } from "./schemas.ts";
import { message, Reason } from "./stage_answers.ts";
import { count, countFromOne, time } from "./values.ts";
import * as z from "./zod.ts";

/** What a gang looks like in `GET /v1/gangs`. */
export const GangSummary = z.named(
  "GangSummary",
  z.object(() => ({
    namespace: z.string(),
    name: z.string(),
    group: z.string(),
    phase: z.enum(["Pending", "Scheduling", "Running", "Finished", "Failed"]),
    minMember: z.int(),
    members: z.extended(Census, { held: count }),
    reason: Reason,
    message,
    since: z.described(z.optional(time), "Since when the reason is the same"),
    fit: z.described(
      z.optional(z.object(() => ({ members: count, of: count }))),
      "Where there is too little room: for how many members of its gang group there is some now",
    ),
    queueKey: z.described(
      z.optional(z.string()),
      "In lists: string order is the order of the gangs that are not bound yet",
    ),
    priority: z.optional(z.int()),
    createdAt: z.optional(time),
    runTime: z.optional(RunTime),
    estimate: z.optional(StartEstimate),
    startedAt: z.optional(time),
    endedAt: z.optional(time),
    requests: z.described(z.optional(Requests), "What its members ask for together"),
    updatedAt: time,
  })),
);

/** How a gang ended that is gone. */
export const Ended = z.named(
  "Ended",
  z.object(() => ({ at: time, message })),
  "When and how a gang ended, and who preempted it; its facts are the last that were known",
);

/** Answer of `GET /v1/gangs`. */
export const GangList = z.named(
  "GangList",
  z.object(() => ({
    gangs: z.array(GangSummary),
    ended: z.described(
      z.optional(z.array(z.extended(GangSummary, { ended: Ended }))),
      "On the first page: gangs that are gone, the last one first; a hundred at most",
    ),
    continue: z.described(z.optional(z.string()), "Asks for the next page; absent on the last"),
  })),
);

/** Answer of `GET /v1/gangs/{namespace}/{name}`. */
export const GangDetail = z.named(
  "GangDetail",
  z.extended(GangSummary, {
    spec: GangSpec,
    pods: z.described(
      z.optional(z.array(GangPod)),
      "Its members by name, a hundred at most, as its facts told them last",
    ),
    deadline: z.optional(time),
    failedAt: z.optional(time),
    place: z.described(z.optional(countFromOne), "Place among the gangs that are not bound yet"),
    ahead: z.described(
      z.optional(z.array(z.string())),
      "The gangs before it in the queue, the nearest first, ten at most",
    ),
    help: z.described(z.optional(z.string()), "What would help a gang that waits"),
    ended: z.described(z.optional(Ended), "Of a gang that is gone"),
    earlier: z.described(
      z.optional(z.array(Ended)),
      "Gangs of the same name that ended before it, the last one first",
    ),
    decisions: z.described(
      z.array(z.object(() => ({
        at: time,
        stage: z.enum(["prefilter", "permit", "postfilter", "unreserve"]),
        verdict: z.string(),
        reason: Reason,
        message: z.string(),
      }))),
      "The last decisions that differed from the one before, newest first",
    ),
  }),
);

/** Answer of `GET /v1/runs`. */
export const RunList = z.named(
  "RunList",
  z.object(() => ({
    runs: z.described(
      z.array(z.object(() => ({
        namespace: z.string(),
        name: z.string(),
        createdAt: time,
        startedAt: time,
        endedAt: time,
        members: count,
        priority: z.int(),
        requests: Requests,
      }))),
      "The last one to end first",
    ),
    continue: z.described(z.optional(z.string()), "Asks for the next page; absent on the last"),
  })),
  "Gangs that ran, as far as they are remembered",
);
