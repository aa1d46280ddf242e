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

/**
 * How long nothing should be asked, in ms; somewhat spread, so that not all come back at once. Said in seconds or, as proxies
 * may, as a date (RFC 9110, 10.2.3).
 */
export function retryAfterMs(headers: Headers): number | undefined {
  const text = headers.get("retry-after") ?? "";
  const isDate = /^\w{3}, .* GMT$/.test(text);
  const ms = isDate
    ? Date.parse(text) - Date.now()
    : /^\d+$/.test(text)
    ? Number(text) * 1000
    : NaN;
  if (Number.isNaN(ms)) return undefined;
  return Math.min(Math.max(ms, 0), longestWaitMs) * (1 + Math.random() / 4);
}
