/**
 * Requests that must not get lost.
 *
 * @module
 */
import { AbortError } from "p-retry";
import { KubeError } from "./kube_api.ts";
import { pause } from "./pause.ts";
import { retry } from "./retry.ts";
import { mayPass } from "./retry_after.ts";

/** Writes; what may pass by itself is tried again a few times. */
export async function patiently<T>(write: () => Promise<T>): Promise<T> {
  return await retry(async () => {
    try {
      return await write();
    } catch (error) {
      if (isFinal(error)) throw new AbortError(error as Error);
      if (error instanceof KubeError) await pause(error.retryAfterMs);
      throw error;
    }
  }, { retries: 4, maxTimeout: 1000 });
}

/**
 * Writes until it succeeds, is refused for good, or has failed `retries` times more; `failed` is told of the first failure that
 * may pass by itself.
 */
export async function persistently(
  write: () => Promise<void>,
  failed: (error: Error) => unknown,
  { retries = Infinity }: { retries?: number } = {},
): Promise<void> {
  let isTold = false;
  await retry(async () => {
    try {
      await write();
    } catch (error) {
      if (isFinal(error)) throw new AbortError(error as Error);
      if (!isTold) failed(error as Error);
      isTold = true;
      throw error;
    }
  }, { retries, minTimeout: 1000, maxTimeout: 10_000, randomize: false });
}

function isFinal(error: unknown): boolean {
  return error instanceof KubeError && !mayPass(error.code);
}
