/**
 * Server-sent events that say when there is something new to see.
 *
 * @module
 */
import type { Context } from "hono";
import { streamSSE } from "hono/streaming";
import type { StageEnv } from "../shared/http/stage_env.ts";

/** The index is asked so often whether anything has changed. */
const pollMs = 2000;

/** A stream ends after so many questions, because a host may count the time that a call is open; the browser opens the next. */
const polls = 10;

/**
 * Sends `changed` with the version of the index, at first and then when it is another one, and `end` at the end; the stream
 * breaks off where the index does not answer.
 *
 * @throws {Error} if the index does not answer at first.
 */
export async function changeStream(
  c: Context<StageEnv>,
  version: () => Promise<string>,
): Promise<Response> {
  let last = await version();
  return streamSSE(c, async (stream) => {
    const gone = Promise.withResolvers<void>();
    stream.onAbort(gone.resolve);
    await stream.writeSSE({ event: "changed", data: last, retry: pollMs });
    for (let poll = 1; poll < polls; poll++) {
      await pause(gone.promise);
      if (stream.aborted) return;
      const now = await version();
      if (now === last) continue;
      last = now;
      await stream.writeSSE({ event: "changed", data: now });
    }
    await stream.writeSSE({ event: "end", data: "" });
  }, (_error, stream) => stream.close());
}

/** Waits until it is time for the next question, or until nobody listens any more. */
async function pause(gone: Promise<void>): Promise<void> {
  const time = Promise.withResolvers<void>();
  const timer = setTimeout(time.resolve, pollMs);
  await Promise.race([time.promise, gone]);
  clearTimeout(timer);
}
