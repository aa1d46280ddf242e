/**
 * What `GET /v1/gangs`, `GET /v1/gangs/{namespace}/{name}` and `GET /v1/runs` answer.
 *
 * @module
 */
import { GangSpec } from "./gang_spec.ts";
import { Requests, RunTime, StartEstimate } from "./gang_times.ts";
import { Census, GangPod } from "./schemas.ts";
import { message, Reason } from "./stage_answers.ts";
import { count, countFromOne, integer, time } from "./values.ts";
import * as v from "./valibot.ts";

/** What a gang looks like in `GET /v1/gangs`. */
export const GangSummary = v.named(
  "GangSummary",
  v.object({
    namespace: v.string(),
    name: v.string(),
    group: v.string(),
    phase: v.picklist(["Pending", "Scheduling", "Running", "Finished", "Failed"]),
    minMember: integer,
    members: v.extended(Census, { held: count }),
    reason: Reason,
    message,
    since: v.described(v.optional(time), "Since when the reason is the same"),
    fit: v.described(
      v.optional(v.object({ members: count, of: count })),
      "Where there is too little room: for how many members of its gang group there is some now",
    ),
    queueKey: v.described(
      v.optional(v.string()),
      "In lists: string order is the order of the gangs that are not bound yet",
    ),
    priority: v.optional(integer),
    createdAt: v.optional(time),
    runTime: v.optional(RunTime),
    estimate: v.optional(StartEstimate),
    startedAt: v.optional(time),
    endedAt: v.optional(time),
    requests: v.described(v.optional(Requests), "What its members ask for together"),
    updatedAt: time,
  }),
);

/** How a gang ended that is gone. */
export const Ended = v.named(
  "Ended",
  v.object({ at: time, message }),
  "When and how a gang ended, and who preempted it; its facts are the last that were known",
);

/** Answer of `GET /v1/gangs`. */
export const GangList = v.named(
  "GangList",
  v.object({
    gangs: v.array(GangSummary),
    ended: v.described(
      v.optional(v.array(v.extended(GangSummary, { ended: Ended }))),
      "On the first page: gangs that are gone, the last one first; a hundred at most",
    ),
    continue: v.described(v.optional(v.string()), "Asks for the next page; absent on the last"),
  }),
);

/** Answer of `GET /v1/gangs/{namespace}/{name}`. */
export const GangDetail = v.named(
  "GangDetail",
  v.extended(GangSummary, {
    spec: GangSpec,
    pods: v.described(
      v.optional(v.array(GangPod)),
      "Its members by name, a hundred at most, as its facts told them last",
    ),
    deadline: v.optional(time),
    failedAt: v.optional(time),
    place: v.described(v.optional(countFromOne), "Place among the gangs that are not bound yet"),
    ahead: v.described(
      v.optional(v.array(v.string())),
      "The gangs before it in the queue, the nearest first, ten at most",
    ),
    help: v.described(v.optional(v.string()), "What would help a gang that waits"),
    ended: v.described(v.optional(Ended), "Of a gang that is gone"),
    earlier: v.described(
      v.optional(v.array(Ended)),
      "Gangs of the same name that ended before it, the last one first",
    ),
    decisions: v.described(
      v.array(v.object({
        at: time,
        stage: v.picklist(["prefilter", "permit", "postfilter", "unreserve"]),
        verdict: v.string(),
        reason: Reason,
        message: v.string(),
      })),
      "The last decisions that differed from the one before, newest first",
    ),
  }),
);

/** Answer of `GET /v1/runs`. */
export const RunList = v.named(
  "RunList",
  v.object({
    runs: v.described(
      v.array(v.object({
        namespace: v.string(),
        name: v.string(),
        createdAt: time,
        startedAt: time,
        endedAt: time,
        members: count,
        priority: integer,
        requests: Requests,
      })),
      "The last one to end first",
    ),
    continue: v.described(v.optional(v.string()), "Asks for the next page; absent on the last"),
  }),
  "Gangs that ran, as far as they are remembered",
);
