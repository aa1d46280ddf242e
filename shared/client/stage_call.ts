/**
 * Calls of the stage functions, repeated under one request id until there is an answer.
 *
 * @module
 */
import { CallRefused } from "../contract/call_refused.ts";
import { retry } from "./retry.ts";
import { inSpan } from "./span.ts";

/** A call that got no answer. */
export class CallFailed extends Error {
  override name = "CallFailed";
  /** By which the functions' log knows it. */
  readonly requestId: string;

  constructor(error: Error, requestId: string) {
    super(error.message, { cause: error });
    this.requestId = requestId;
  }

  /** Whether it is what this call says that can not be taken: others are answered. */
  get isRefusal(): boolean {
    return this.cause instanceof CallRefused;
  }
}

/** An answer, and by which request id the functions' log knows its call. */
export type Asked<Answer> = Answer & { readonly requestId: string };

/**
 * Asks a stage; a call that got no answer is repeated as it was, so that it gets the same one.
 *
 * @throws {CallFailed}
 */
export async function askStage<Answer>(
  stage: string,
  attempt: (requestId: string) => Promise<Answer>,
): Promise<Asked<Answer>> {
  const requestId = crypto.randomUUID();
  try {
    const answer = await inSpan(
      { name: stage, attributes: { "muster.request_id": requestId } },
      () => retry(() => attempt(requestId), { retries: 2, maxTimeout: 500 }),
    );
    return { ...answer, requestId };
  } catch (error) {
    throw new CallFailed(error as Error, requestId);
  }
}
