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
import * as z from "./zod.ts";

/** Whatever a policy says, it is asked again within a day. */
const longestPolicyWait = 86_400;

/** `POST /v1/prefilter`. */
export const PrefilterRequest = z.named(
  "PrefilterRequest",
  z.extended(Group, {
    fit: z.optional(Fit),
    refused: z.described(
      z.optional(MemberFailure),
      "A member that the scheduler takes on none of the nodes that have room for it",
    ),
    ahead: z.optional(z.object(() => ({ gang: gangId, since: time }))),
    policy: z.described(
      z.optional(z.object(() => ({
        reason: z.optional(filledText(limits.reason)),
        message: shortText(limits.policyWord),
        askAgainSeconds: seconds.check(z.maximum(longestPolicyWait)),
      }))),
      "What the admit stage said last, where it lets the group wait",
    ),
    estimate: z.described(z.optional(StartEstimate), "For what is said of a gang that waits"),
  }),
);
