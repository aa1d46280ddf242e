/**
 * A log line for every request that fails.
 *
 * @module
 */
import { createMiddleware } from "hono/factory";
import { HTTPException } from "hono/http-exception";
import { log } from "./log.ts";
import type { StageEnv } from "./stage_env.ts";

/** Logs what was wrong with a request, and which one it was: of its body and its query the bad fields alone, of its headers nothing. */
export const failureLog = createMiddleware<StageEnv>(async (c, next) => {
  await next();
  const { status } = c.res;
  if (status < 400) return;
  const { requestId, cluster, problem } = c.var;
  const { method, path } = c.req;
  const traceId = traceIdOf(c.req.header("traceparent"));
  // Whoever is refused because there are too many shows no fault here.
  const isFault = status >= 500 && !(c.error instanceof HTTPException);
  const error = isFault ? c.error : undefined;
  log(isFault ? "error" : "warn", `${method} ${path} failed: ${problem?.title ?? status}`, {
    status,
    ...problem,
    requestId,
    ...(traceId !== undefined && { traceId }),
    ...(cluster !== undefined && { cluster }),
    ...(error && { error: error.message, stack: error.stack }),
  });
});

/** W3C Trace Context, version 00. */
function traceIdOf(traceparent: string | undefined): string | undefined {
  return /^00-([\da-f]{32})-[\da-f]{16}-[\da-f]{2}$/.exec(traceparent ?? "")?.[1];
}
