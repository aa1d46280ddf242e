/**
 * What unreserve is told.
 *
 * @module
 */
import { limits } from "../core/gang/limits.ts";
import { Group, PodRef } from "./schemas.ts";
import { by, fullList, gangId } from "./values.ts";
import * as z from "./zod.ts";

/** `POST /v1/unreserve`. */
export const UnreserveRequest = z.named(
  "UnreserveRequest",
  z.extended(Group, {
    lost: fullList(
      z.object(() => ({
        pod: PodRef,
        cause: z.enum(["aborted", "bind-failed", "deleted", "gone"]),
        gang: z.optional(gangId),
        by: z.optional(by),
      })),
      limits.members,
    ),
  }),
);
