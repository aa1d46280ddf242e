/**
 * Asks the functions, and says why they gave no answer.
 *
 * @module
 */
import { OwnStageFailed } from "../../shared/contract/own_stage_failed.ts";
import type { EventOf } from "../../shared/core/attend/event.ts";
import { isSendable } from "../../shared/core/attend/unsendable.ts";
import type { Question } from "../../shared/core/attend/question.ts";
import { whyPending } from "../../shared/core/words/why_pending.ts";
import type { GangGroup } from "../../shared/cluster/gang_group.ts";
import { type Asked, CallFailed } from "../../shared/client/stage_call.ts";
import { inTrace } from "../../shared/client/trace_place.ts";
import type { Parts } from "./parts.ts";

/** The answer to a group's question, in the trace of its youngest call. */
export function answerTo(
  question: Question,
  group: GangGroup,
  { circuit, holds, metrics, policy }: Parts,
): Promise<Asked<EventOf<"answered">["answer"]>> {
  const call = group.attended.asking?.calls.at(-1);
  const trace = call && holds.get(call.pod.uid)?.trace;
  const ask = () => metrics.timed(question.stage, () => policy.ask(question));
  // What is answered without the functions says nothing about them.
  if (!question.request.gangs.every(({ gang }) => isSendable(gang))) return inTrace(trace, ask);
  return circuit.call(group.id, () => inTrace(trace, ask));
}

/** An outage concerns every gang group; facts of one group that the functions do not take concern nobody else. */
export function whyUnanswered(
  error: Error,
  { title }: GangGroup,
  { metrics, policy }: Parts,
): EventOf<"unanswered">["why"] {
  if (error instanceof CallFailed && error.isRefusal) {
    metrics.callRefused(title, error);
    return whyPending({ reason: "FactsRefused", title, error: error.message });
  }
  const url = error.cause instanceof OwnStageFailed ? undefined : policy.url;
  return whyPending({ reason: "FunctionsUnreachable", title, url, error: error.message });
}
