/**
 * A member that the scheduler's own plugins refuse.
 *
 * @module
 */
import { gangId, roleName, sentence, text } from "./values.ts";
import * as z from "./zod.ts";

/** In the scheduler's words. */
export const MemberFailure = z.object(() => ({
  uid: text,
  message: sentence,
  name: z.optional(text),
  gang: z.optional(gangId),
  role: z.optional(roleName),
}));
