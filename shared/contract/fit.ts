/**
 * How much of what a gang group needs finds room.
 *
 * @module
 */
import { limits } from "../core/gang/limits.ts";
import { amount, count, list, shortText, text } from "./values.ts";
import * as v from "./valibot.ts";

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
      "Where members, or those of a slice, are required to share a domain and none has room: those with the most",
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
