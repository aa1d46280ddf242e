/**
 * Server-sent events that say when there is something new to see.
 *
 * @module
 */
import type { Context } from "hono";
import { HTTPException } from "hono/http-exception";
import { type SSEStreamingApi, streamSSE } from "hono/streaming";
import type { StageEnv } from "../shared/http/stage_env.ts";

/** The index is asked so often whether anything has changed. */
const pollMs = 2000;

/** A stream ends after so many questions, because a host may count the time that a call is open; the browser opens the next. */
const polls = 10;

/** Each asks the index; whoever finds no place sees the page as it was, and tries again. */
export const mostStreams = 500;
let open = 0;

/**
 * Sends `changed` with the version of the index, at first and then when it is another one, and `end` at the end; the stream
 * breaks off where the index does not answer.
 *
 * @throws {HTTPException} 503 beyond {@linkcode mostStreams}.
 * @throws {Error} if the index does not answer at first.
 */
export async function changeStream(
  c: Context<StageEnv>,
  version: () => Promise<string>,
): Promise<Response> {
  // Nobody would read the stream, or end it.
  if (c.req.method === "HEAD") {
    return c.body(null, 200, { "content-type": "text/event-stream" });
  }
  if (open >= mostStreams) {
    throw new HTTPException(503, { message: `${mostStreams} browsers listen: try again later` });
  }
  open++;
  const first = await version().catch((error) => {
    open--;
    throw error;
  });
  return streamSSE(
    c,
    (stream) => tell(stream, { first, version }).finally(() => open--),
    (_error, stream) => stream.close(),
  );
}

async function tell(
  stream: SSEStreamingApi,
  { first, version }: { first: string; version: () => Promise<string> },
): Promise<void> {
  const gone = Promise.withResolvers<void>();
  stream.onAbort(gone.resolve);
  await stream.writeSSE({ event: "changed", data: first, retry: pollMs });
  let last = first;
  for (let poll = 1; poll < polls; poll++) {
    await pause(gone.promise);
    if (stream.aborted) return;
    const now = await version();
    if (now === last) continue;
    last = now;
    await stream.writeSSE({ event: "changed", data: now });
  }
  await stream.writeSSE({ event: "end", data: "" });
}

/** Waits until it is time for the next question, or until nobody listens any more. */
async function pause(gone: Promise<void>): Promise<void> {
  const time = Promise.withResolvers<void>();
  const timer = setTimeout(time.resolve, pollMs);
  await Promise.race([time.promise, gone]);
  clearTimeout(timer);
}
