/**
 * What postfilter is told.
 *
 * @module
 */
import { limits } from "../core/gang/limits.ts";
import { MemberFailure } from "./member_failure.ts";
import { Group } from "./schemas.ts";
import { list } from "./values.ts";
import * as z from "./zod.ts";

/** `POST /v1/postfilter`. */
export const PostfilterRequest = z.named(
  "PostfilterRequest",
  z.extended(Group, { failed: list(MemberFailure, limits.members) }),
);
