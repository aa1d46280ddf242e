/**
 * How many calls may be open at the same time.
 *
 * @module
 */
import type { MiddlewareHandler } from "hono";
import { HTTPException } from "hono/http-exception";

/** Answers a call, or throws. */
type Within = <T>(answer: () => Promise<T>) => Promise<T>;

/**
 * Lets so many calls in at a time, until each has its answer.
 *
 * @throws {HTTPException} 503 for those beyond.
 */
export function openAtATime(max: number): Within {
  let open = 0;
  return async (answer) => {
    if (open >= max) {
      throw new HTTPException(503, { message: `${max} calls are open: ask again later` });
    }
    open++;
    try {
      return await answer();
    } finally {
      open--;
    }
  };
}

/** {@linkcode openAtATime} for all that follows; a stream counts until it begins. */
export function openCalls(max: number): MiddlewareHandler {
  const within = openAtATime(max);
  return (_c, next) => within(next);
}
