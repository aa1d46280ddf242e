/**
 * Requests that must not get lost.
 *
 * @module
 */
import { AbortError } from "p-retry";
import { KubeError } from "./kube_api.ts";
import { retry } from "./retry.ts";
import { pause } from "./pause.ts";

/** Writes; what may pass by itself is tried again a few times. */
export async function patiently<T>(write: () => Promise<T>): Promise<T> {
  return await retry(async () => {
    try {
      return await write();
    } catch (error) {
      const isFinal = error instanceof KubeError && error.code < 500 && error.code !== 429;
      if (isFinal) throw new AbortError(error);
      if (error instanceof KubeError) await pause(error.retryAfterMs);
      throw error;
    }
  }, { retries: 4, maxTimeout: 1000 });
}
