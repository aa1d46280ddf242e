/**
 * A member that the scheduler's own plugins refuse.
 *
 * @module
 */
import { gangId, roleName, sentence, text } from "./values.ts";
import * as v from "./valibot.ts";

/** In the scheduler's words. */
export const MemberFailure = v.object({
  uid: text,
  message: sentence,
  name: v.optional(text),
  gang: v.optional(gangId),
  role: v.optional(roleName),
});
