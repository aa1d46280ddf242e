/**
 * How many calls may be open at the same time.
 *
 * @module
 */
import type { MiddlewareHandler } from "hono";
import { HTTPException } from "hono/http-exception";

/**
 * Lets so many calls in at a time, until each has its answer; a stream counts until it begins.
 *
 * @throws {HTTPException} 503 for those beyond.
 */
export function openCalls(max: number): MiddlewareHandler {
  let open = 0;
  return async (_c, next) => {
    if (open >= max) {
      throw new HTTPException(503, { message: `${max} calls are open: ask again later` });
    }
    open++;
    try {
      await next();
    } finally {
      open--;
    }
  };
}
