/**
 * Structured logs: one JSON object a line on stderr.
 *
 * @module
 */

/** Writes one line. */
export function log(
  level: "debug" | "info" | "warn" | "error",
  message: string,
  fields: Record<string, unknown> = {},
): void {
  // deno-lint-ignore no-console -- the one place that logs
  console.error(JSON.stringify({ time: new Date().toISOString(), level, message, ...fields }));
}
