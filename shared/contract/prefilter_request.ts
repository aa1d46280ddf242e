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
import * as v from "./valibot.ts";

/** Whatever a policy says, it is asked again within a day. */
const longestPolicyWait = 86_400;

/** How much of the group fits. */
export const Fit = v.named(
  "Fit",
  v.object({
    members: count,
    of: count,
    byPreemption: v.optional(count),
    leaving: v.optional(v.object({ pods: count, first: list(text, limits.leavingNames) })),
    shortOf: v.optional(shortText(limits.resourceName)),
    isForMinResources: v.optional(v.boolean()),
    minResources: v.optional(v.object({ asks: amount, free: amount, members: count })),
    domains: v.described(
      v.optional(v.object({
        key: shortText(limits.nodeLabel),
        of: count,
        best: list(
          v.object({ name: shortText(limits.sentence), members: count }),
          limits.domains,
        ),
      })),
      "Where members are required to share a domain and none has room: those with the most",
    ),
    impossible: v.optional(v.object({
      scope: v.picklist(["member", "domain", "gang", "minResources"]),
      resource: v.optional(shortText(limits.resourceName)),
      asks: amount,
      largest: amount,
    })),
  }),
  "How many of the members that still need a node find room now",
);

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
  }),
);
