/**
 * Calls that are made again.
 *
 * @module
 */
import pRetry from "p-retry";
import { whyOf } from "./why_of.ts";

/**
 * Makes a call until it succeeds, throws an `AbortError`, or has failed `retries` times more; pauses are in ms: the first one, twice
 * as long each time, and the longest.
 */
export async function retry<T>(
  call: () => Promise<T>,
  options: { retries: number; minTimeout?: number; maxTimeout: number; randomize?: boolean },
): Promise<T> {
  // What succeeds at once, as nearly all does, needs nothing else.
  try {
    return await call();
  } catch (first) {
    return await pRetry(async (attempt) => {
      try {
        if (attempt === 1) throw first;
        return await call();
      } catch (error) {
        // p-retry gives up at a TypeError that it does not know, as that of an answer that breaks off.
        throw error instanceof TypeError ? new Error(whyOf(error)) : error;
      }
    }, { minTimeout: 50, randomize: true, ...options });
  }
}
