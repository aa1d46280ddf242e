/**
 * What unreserve is told.
 *
 * @module
 */
import { limits } from "../core/gang/limits.ts";
import { Group, PodRef } from "./schemas.ts";
import { by, fullList, gangId } from "./values.ts";
import * as v from "./valibot.ts";

/** `POST /v1/unreserve`. */
export const UnreserveRequest = v.named(
  "UnreserveRequest",
  v.extended(Group, {
    lost: fullList(
      v.object({
        pod: PodRef,
        cause: v.picklist(["aborted", "bind-failed", "deleted", "node-lost", "gone"]),
        gang: v.optional(gangId),
        by: v.optional(by),
      }),
      limits.members,
    ),
  }),
);
