/**
 * How much of what a gang group needs finds room.
 *
 * @module
 */
import { limits } from "../core/gang/limits.ts";
import { amount, count, list, shortText, text } from "./values.ts";
import * as z from "./zod.ts";

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
