/**
 * How a command's process ends.
 *
 * @module
 */
import { CommanderError } from "commander";
import { exitCodeOf } from "./muster/failure.ts";
import { printable } from "./muster/table.ts";
import { say } from "./print.ts";

/** Ends the process with a command's exit code; where the command fails, after saying why, which commander does itself. */
export async function exitWith(command: () => Promise<number>): Promise<never> {
  try {
    Deno.exit(await command());
  } catch (error) {
    if (!(error instanceof CommanderError)) say(`error: ${printable((error as Error).message)}`);
    Deno.exit(exitCodeOf(error));
  }
}
