/**
 * What prefilter is told.
 *
 * @module
 */
import { limits } from "../core/gang/limits.ts";
import { StartEstimate } from "./gang_times.ts";
import { MemberFailure } from "./member_failure.ts";
import { Group } from "./schemas.ts";
import {
  amount,
  count,
  filledText,
  gangId,
  list,
  seconds,
  shortText,
  text,
  time,
} from "./values.ts";
import * as z from "./zod.ts";

/** Whatever a policy says, it is asked again within a day. */
const longestPolicyWait = 86_400;

/** How much of the group fits. */
export const Fit = z.named(
  "Fit",
  z.object(() => ({
    members: count,
    of: count,
    byPreemption: z.optional(count),
    leaving: z.optional(z.object(() => ({ pods: count, first: list(text, limits.leavingNames) }))),
    shortOf: z.optional(shortText(limits.resourceName)),
    isForMinResources: z.optional(z.boolean()),
    minResources: z.optional(z.object(() => ({ asks: amount, free: amount, members: count }))),
    domains: z.described(
      z.optional(z.object(() => ({
        key: shortText(limits.nodeLabel),
        of: count,
        best: list(
          z.object(() => ({ name: shortText(limits.sentence), members: count })),
          limits.domains,
        ),
      }))),
      "Where members are required to share a domain and none has room: those with the most",
    ),
    impossible: z.optional(z.object(() => ({
      scope: z.enum(["member", "domain", "gang", "minResources"]),
      resource: z.optional(shortText(limits.resourceName)),
      asks: amount,
      largest: amount,
    }))),
  })),
  "How many of the members that still need a node find room now",
);

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
