/**
 * What prefilter is told.
 *
 * @module
 */
import { limits } from "../core/gang/limits.ts";
import { Fit } from "./fit.ts";
import { StartEstimate } from "./gang_times.ts";
import { MemberFailure } from "./member_failure.ts";
import { Group } from "./schemas.ts";
import { filledText, gangId, seconds, shortText, time } from "./values.ts";
import * as v from "./valibot.ts";

/** Whatever a policy says, it is asked again within a day. */
const longestPolicyWait = 86_400;

/** `POST /v1/prefilter`. */
export const PrefilterRequest = v.named(
  "PrefilterRequest",
  v.extended(Group, {
    fit: v.optional(Fit),
    refused: v.described(
      v.optional(MemberFailure),
      "A member that the scheduler takes on none of the nodes that have room for it",
    ),
    ahead: v.optional(v.object({ gang: gangId, since: time })),
    policy: v.described(
      v.optional(v.object({
        reason: v.optional(filledText(limits.reason)),
        message: shortText(limits.policyWord),
        askAgainSeconds: v.pipe(seconds, v.maxValue(longestPolicyWait)),
      })),
      "What the admit stage said last, where it lets the group wait",
    ),
    estimate: v.described(v.optional(StartEstimate), "For what is said of a gang that waits"),
    untried: v.described(
      v.optional(v.boolean()),
      "The scheduler could have tried its members and has tried none: for what is said",
    ),
    atGate: v.described(
      v.optional(v.boolean()),
      "The API server refuses to remove Muster's scheduling gates: for what is said",
    ),
  }),
);
