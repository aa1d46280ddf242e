/**
 * The types of the wire, and the proof that they are the types of the core.
 *
 * @module
 */
import type * as decision from "../core/stage/decision.ts";
import type * as facts from "../core/gang/facts.ts";
import type * as cluster from "./cluster_schemas.ts";
import type * as fit from "./fit.ts";
import type * as view from "./gang_views.ts";
import type * as permit from "./permit_request.ts";
import type * as postfilter from "./postfilter_request.ts";
import type * as prefilter from "./prefilter_request.ts";
import type * as schema from "./schemas.ts";
import type * as answer from "./stage_answers.ts";
import type * as unreserve from "./unreserve_request.ts";
import type * as v from "./valibot.ts";

/** `POST /v1/prefilter`. */
export type PrefilterRequest = v.InferOutput<typeof prefilter.PrefilterRequest>;
/** `POST /v1/permit`. */
export type PermitRequest = v.InferOutput<typeof permit.PermitRequest>;
/** `POST /v1/postfilter`. */
export type PostfilterRequest = v.InferOutput<typeof postfilter.PostfilterRequest>;
/** `POST /v1/unreserve`. */
export type UnreserveRequest = v.InferOutput<typeof unreserve.UnreserveRequest>;
/** `POST /v1/queue-sort`. */
export type QueueSortRequest = v.InferOutput<typeof cluster.QueueSortRequest>;
/** `POST /v1/admit`. */
export type AdmitRequest = v.InferOutput<typeof cluster.AdmitRequest>;
/** Answer of admit. */
export type AdmitAnswer = v.InferOutput<typeof answer.AdmitAnswer>;
/** Answer of queue-sort. */
export type QueueSortAnswer = v.InferOutput<typeof answer.QueueSortAnswer>;
/** A line of `GET /v1/gangs`. */
export type GangSummary = v.InferOutput<typeof view.GangSummary>;
/** When and how a gang ended. */
export type Ended = v.InferOutput<typeof view.Ended>;
/** A line of `GET /v1/runs`. */
export type Run = RunList["runs"][number];
/** `GET /v1/runs`. */
export type RunList = v.InferOutput<typeof view.RunList>;
/** `GET /v1/gangs/{namespace}/{name}`. */
export type GangDetail = v.InferOutput<typeof view.GangDetail>;

type DeepReadonly<T> = T extends object ? { readonly [K in keyof T]: DeepReadonly<T[K]> } : T;
type Same<Wire, Core> = [DeepReadonly<Wire>] extends [DeepReadonly<Core>]
  ? [DeepReadonly<Core>] extends [DeepReadonly<Wire>] ? true : never
  : never;

/** Does not compile where a schema and the core's type of the same thing differ. */
export const wireIsCore: [
  Same<v.InferOutput<typeof schema.Group>, facts.Group>,
  Same<v.InferOutput<typeof fit.Fit>, facts.Fit>,
  Same<PrefilterRequest["policy"], facts.PolicyWord | undefined>,
  Same<v.InferOutput<typeof cluster.Running>, facts.Running>,
  Same<PostfilterRequest["failed"][number], facts.MemberFailure>,
  Same<UnreserveRequest["lost"][number], facts.Loss>,
  Same<v.InferOutput<typeof schema.GangPod>, facts.GangPod>,
  Same<v.InferOutput<typeof answer.Decision>, decision.Decision>,
  Same<v.InferOutput<typeof answer.Admission>, decision.Admission>,
] = [true, true, true, true, true, true, true, true, true];
