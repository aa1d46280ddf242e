/**
 * How the command line ends.
 *
 * @module
 */

import { CommanderError } from "commander";

/** Exit codes, for scripts. */
export const exitCodes = {
  done: 0,
  failed: 1,
  /** The command line itself is wrong. */
  usage: 2,
  notFound: 3,
  /** The gang that was asked about waits, or one that was simulated would. */
  waits: 4,
} as const;

/** What keeps a command from being done, in one sentence that says what to do. */
export class Failure extends Error {
  override name = "Failure";

  constructor(message: string, readonly exitCode: number = exitCodes.failed) {
    super(message);
  }
}

/** The exit code after what was thrown; what commander throws it has said itself, and asking for help is no failure. */
export function exitCodeOf(error: unknown): number {
  if (error instanceof CommanderError) {
    return error.exitCode === 0 ? exitCodes.done : exitCodes.usage;
  }
  return error instanceof Failure ? error.exitCode : exitCodes.failed;
}
