/**
 * An API server that is away, asked until it is there.
 *
 * @module
 */
import { KubeError } from "./kube_api.ts";
import { pause } from "./pause.ts";
import { mayPass } from "./retry_after.ts";
import { whyOf } from "./why_of.ts";

/** Told each time that the API server does not answer; what it throws ends the waiting. */
export type Away = (error: Error) => Promise<void> | void;

/** The API server is left alone after each question without an answer, in ms: after the first, and at most. */
const pauses = { first: 250, most: 5000 };

/**
 * An API server that has just come refuses everybody until it has read who may do what. For so long, in ms, its refusals are not
 * believed: when it was not seen to come for less, because then most often permissions lack.
 */
const doubts = { first: 5000, afterAway: 30_000 };

/**
 * Asks until the API server answers.
 *
 * @throws {Error} if no time mends it: credentials or a certificate are refused, or whoever is there is no API server.
 */
export async function untilAnswered<T>(ask: () => Promise<T>, away: Away): Promise<T> {
  const believed = { 401: 0, 403: Date.now() + doubts.first };
  for (let ms = pauses.first;; ms = Math.min(2 * ms, pauses.most)) {
    try {
      return await ask();
    } catch (error) {
      if (isAway(error)) believed[401] = believed[403] = Date.now() + doubts.afterAway;
      else if (!isRefusal(error) || Date.now() >= believed[error.code]) throw error;
      await away(error);
      await pause(Math.max(ms, error instanceof KubeError ? error.retryAfterMs : 0));
    }
  }
}

/** Whether credentials, or what they are for, are refused. */
function isRefusal(error: unknown): error is KubeError & { readonly code: 401 | 403 } {
  return error instanceof KubeError && (error.code === 401 || error.code === 403);
}

/** Whether time may mend it: there is no connection, it broke, or who is there has other things to do. */
function isAway(error: unknown): error is Error {
  if (error instanceof KubeError) return mayPass(error.code);
  if (error instanceof DOMException) return error.name === "TimeoutError";
  if (!(error instanceof TypeError)) return false;
  const why = whyOf(error);
  return /sending request|reading a body/.test(why) && !/certificate/.test(why);
}
