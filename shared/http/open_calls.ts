/**
 * How many calls may be open at the same time.
 *
 * @module
 */
import type { MiddlewareHandler } from "hono";
import { HTTPException } from "hono/http-exception";
import { FairShares } from "./fair_shares.ts";
import type { StageEnv } from "./stage_env.ts";

/** Answers a caller's call, or throws. */
type Within = <T>(caller: unknown, answer: () => Promise<T>) => Promise<T>;

/**
 * Lets so many calls in at a time, until each has its answer; callers share them.
 *
 * @throws {HTTPException} 503 for those beyond.
 */
export function openAtATime(max: number): Within {
  const open = new FairShares(max);
  return async (caller, answer) => {
    if (!open.take(caller, 1)) {
      throw new HTTPException(503, { message: `${max} calls are open: ask again later` });
    }
    try {
      return await answer();
    } finally {
      open.giveBack(caller, 1);
    }
  };
}

/** {@linkcode openAtATime} for all that follows, shared by the clusters that callers speak for; a stream counts until it begins. */
export function openCalls(max: number): MiddlewareHandler<StageEnv> {
  const within = openAtATime(max);
  return (c, next) => within(c.var.cluster, next);
}
