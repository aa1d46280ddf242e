/**
 * Whom to ask again, and when whoever has too much to do (429, 503).
 *
 * @module
 */

/** Whatever `retry-after` says, nothing waits longer. */
const longestWaitMs = 10_000;

/** Whether a request that failed with this HTTP status may succeed later as it is: whoever was asked failed, or has too much to do. */
export function mayPass(status: number): boolean {
  return status >= 500 || status === 429;
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
