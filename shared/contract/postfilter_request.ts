/**
 * What postfilter is told.
 *
 * @module
 */
import { limits } from "../core/gang/limits.ts";
import { MemberFailure } from "./member_failure.ts";
import { Group } from "./schemas.ts";
import { list } from "./values.ts";
import * as v from "./valibot.ts";

/** `POST /v1/postfilter`. */
export const PostfilterRequest = v.named(
  "PostfilterRequest",
  v.extended(Group, { failed: list(MemberFailure, limits.members) }),
);
