/**
 * The types of the wire, and the proof that they are the types of the core.
 *
 * @module
 */
import type { z } from "@hono/zod-openapi";
import type * as decision from "../core/stage/decision.ts";
import type * as facts from "../core/gang/facts.ts";
import type * as schema from "./schemas.ts";

/** `POST /v1/prefilter`. */
export type PrefilterRequest = z.infer<typeof schema.PrefilterRequest>;
/** `POST /v1/permit`. */
export type PermitRequest = z.infer<typeof schema.PermitRequest>;
/** `POST /v1/postfilter`. */
export type PostfilterRequest = z.infer<typeof schema.PostfilterRequest>;
/** `POST /v1/unreserve`. */
export type UnreserveRequest = z.infer<typeof schema.UnreserveRequest>;
/** `POST /v1/queue-sort`. */
export type QueueSortRequest = z.infer<typeof schema.QueueSortRequest>;
/** Answer of queue-sort. */
export type QueueSortAnswer = z.infer<typeof schema.QueueSortAnswer>;
/** A line of `GET /v1/gangs`. */
export type GangSummary = z.infer<typeof schema.GangSummary>;
/** `GET /v1/gangs/{namespace}/{name}`. */
export type GangDetail = z.infer<typeof schema.GangDetail>;

type DeepReadonly<T> = T extends object ? { readonly [K in keyof T]: DeepReadonly<T[K]> } : T;
type Same<Wire, Core> = [DeepReadonly<Wire>] extends [DeepReadonly<Core>]
  ? [DeepReadonly<Core>] extends [DeepReadonly<Wire>] ? true : never
  : never;

/** Does not compile where a schema and the core's type of the same thing differ. */
export const wireIsCore: [
  Same<z.infer<typeof schema.Group>, facts.Group>,
  Same<z.infer<typeof schema.Fit>, facts.Fit>,
  Same<PostfilterRequest["failed"][number], facts.MemberFailure>,
  Same<UnreserveRequest["lost"][number], facts.Loss>,
  Same<z.infer<typeof schema.Decision>, decision.Decision>,
  Same<z.infer<typeof schema.Admission>, decision.Admission>,
] = [true, true, true, true, true, true];
