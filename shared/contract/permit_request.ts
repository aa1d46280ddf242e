/**
 * What permit is told.
 *
 * @module
 */
import { Group } from "./schemas.ts";
import * as z from "./zod.ts";

/** `POST /v1/permit`. */
export const PermitRequest = z.named(
  "PermitRequest",
  z.clone(Group),
  z.about.get(Group)?.description,
);
