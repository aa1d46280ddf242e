/**
 * When to ask again whoever has too much to do (429, 503).
 *
 * @module
 */

/** Whatever `retry-after` says, nothing waits longer. */
const longestWaitMs = 10_000;

/** Resolves after so many ms. */
export async function pause(ms: number): Promise<void> {
  if (ms > 0) await new Promise((resolve) => setTimeout(resolve, ms));
}

/** Resolves when something has come to its end, or after so many ms. */
export async function within(ms: number, ending: Promise<unknown>): Promise<void> {
  const late = Promise.withResolvers<void>();
  const timer = setTimeout(late.resolve, ms);
  await Promise.race([ending, late.promise]);
  clearTimeout(timer);
}

/** How long nothing should be asked, in ms; somewhat spread, so that not all come back at once. */
export function retryAfterMs(headers: Headers): number | undefined {
  const text = headers.get("retry-after") ?? "";
  if (!/^\d+$/.test(text)) return undefined;
  return Math.min(Number(text) * 1000, longestWaitMs) * (1 + Math.random() / 4);
}
