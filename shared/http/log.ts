/**
 * Structured logs: one JSON object a line on stderr.
 *
 * @module
 */

/** From the most to the least said. */
export const logLevels = ["debug", "info", "warn", "error"] as const;

/** One of {@linkcode logLevels}. */
export type LogLevel = (typeof logLevels)[number];

let least: LogLevel = "info";

/** Nothing below this level is written; `info` until it is set. */
export function setLogLevel(level: LogLevel): void {
  least = level;
}

/** Writes one line. */
export function log(
  level: LogLevel,
  message: string,
  fields: Record<string, unknown> = {},
): void {
  if (logLevels.indexOf(level) < logLevels.indexOf(least)) return;
  // deno-lint-ignore no-console -- the one place that logs
  console.error(JSON.stringify({ time: new Date().toISOString(), level, message, ...fields }));
}
