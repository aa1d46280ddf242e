/**
 * What permit is told.
 *
 * @module
 */
import { Group } from "./schemas.ts";
import * as v from "./valibot.ts";

/** `POST /v1/permit`. */
export const PermitRequest = v.named(
  "PermitRequest",
  v.object(Group.entries),
  v.about.get(Group)?.description,
);
