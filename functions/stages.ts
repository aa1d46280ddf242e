/**
 * The stages as a relay calls them, wherever they run.
 *
 * @module
 */
import { AbortError } from "p-retry";
import { CallRefused } from "../shared/contract/call_refused.ts";
import { inContract } from "../shared/contract/check.ts";
import { QueueSortRequest } from "../shared/contract/cluster_schemas.ts";
import { PermitRequest } from "../shared/contract/permit_request.ts";
import { PostfilterRequest } from "../shared/contract/postfilter_request.ts";
import { PrefilterRequest } from "../shared/contract/prefilter_request.ts";
import type * as wire from "../shared/contract/types.ts";
import { UnreserveRequest } from "../shared/contract/unreserve_request.ts";
import type * as v from "../shared/contract/valibot.ts";
import type { Admission, Decision } from "../shared/core/stage/decision.ts";
import { configurationOf } from "../shared/http/configuration.ts";
import { log } from "../shared/http/log.ts";
import type { StageCall } from "../shared/http/stage_env.ts";
import type { Bindings } from "../shared/store/embedded/bindings.ts";
import { answerPermit } from "./permit.ts";
import { answerPostfilter } from "./postfilter.ts";
import { answerPrefilter } from "./prefilter.ts";
import { answerQueueSort } from "./queue_sort.ts";
import { answerUnreserve } from "./unreserve.ts";

/** One attempt of a call each; `requestId` is how a log of the functions knows it. `AbortError`: another attempt is in vain. */
export interface Stages {
  prefilter(request: wire.PrefilterRequest, requestId: string): Promise<Admission>;
  permit(request: wire.PermitRequest, requestId: string): Promise<Decision>;
  postfilter(request: wire.PostfilterRequest, requestId: string): Promise<Decision>;
  unreserve(request: wire.UnreserveRequest, requestId: string): Promise<Decision>;
  queueSort(request: wire.QueueSortRequest, requestId: string): Promise<SortedQueue>;
}

/** Keys of one order: those of another one do not compare with them. */
export interface SortedQueue extends wire.QueueSortAnswer {
  /** Absent: the order of the functions. */
  readonly order?: string | undefined;
}

/** The stages for a cluster in this process, which need neither HTTP nor a credential. */
export function stagesInProcess(bindings: Bindings, cluster: string): Stages {
  const call: StageCall = {
    var: { cluster, store: bindings, settings: configurationOf(bindings).settings },
    executionCtx: { waitUntil() {} },
  };
  function stage<Schema extends v.GenericSchema, Answer>(
    schema: Schema,
    answer: (call: StageCall, request: v.InferOutput<Schema>) => Promise<Answer>,
  ) {
    return async (request: v.InferOutput<Schema>, requestId: string): Promise<Answer> => {
      try {
        // What the contract keeps out of the store over HTTP must not reach it from here either: pods say what their users wrote.
        return await answer(call, inContract(request, { schema, fail: refused }));
      } catch (error) {
        const { message, stack } = error as Error;
        log("error", `A stage failed: ${message}`, { requestId, cluster, stack });
        throw error;
      }
    };
  }
  return {
    prefilter: stage(PrefilterRequest, answerPrefilter),
    permit: stage(PermitRequest, answerPermit),
    postfilter: stage(PostfilterRequest, answerPostfilter),
    unreserve: stage(UnreserveRequest, answerUnreserve),
    queueSort: stage(QueueSortRequest, answerQueueSort),
  };
}

function refused(wrong: string): AbortError {
  return new AbortError(new CallRefused(`The call does not follow the contract: ${wrong}`));
}
