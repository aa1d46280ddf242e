/**
 * Lines for the log of whoever uses a client.
 *
 * @module
 */

/** Writes one structured log line. */
export type Log = (
  level: "debug" | "info" | "warn" | "error",
  message: string,
  fields?: Record<string, unknown>,
) => void;
