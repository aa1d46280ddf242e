/**
 * What postfilter is told.
 *
 * @module
 */
import { limits } from "../core/gang/limits.ts";
import { Group } from "./schemas.ts";
import { gangId, list, roleName, sentence, text } from "./values.ts";
import * as z from "./zod.ts";

/** `POST /v1/postfilter`. */
export const PostfilterRequest = z.named(
  "PostfilterRequest",
  z.extended(Group, {
    failed: list(
      z.object(() => ({
        uid: text,
        message: sentence,
        name: z.optional(text),
        gang: z.optional(gangId),
        role: z.optional(roleName),
      })),
      limits.members,
    ),
  }),
);
