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
  tell(JSON.stringify({ time: new Date().toISOString(), level, message, ...fields }));
}

/** Writes a line to standard error. Where that takes nothing, as on a disk that is full, the line is lost, and nothing else. */
export function tell(line: string): void {
  try {
    // deno-lint-ignore no-console -- the one place that logs
    console.error(line);
  } catch {
    // Nobody can be told.
  }
}
