/**
 * `deno task muster`, which is also `kubectl muster`: what gangs do and why, for people and scripts.
 *
 * @module
 */
import { CommanderError } from "commander";
import { KubeError } from "../shared/client/kube_api.ts";
import { commandLine } from "./muster/command_line.ts";
import { exitCodeOf, exitCodes } from "./muster/failure.ts";
import { printable } from "./muster/table.ts";
import { say } from "./print.ts";

/** Runs a command line and gives its exit code. */
async function main(args: string[]): Promise<number> {
  let exitCode: number = exitCodes.done;
  const program = commandLine((code) => exitCode = code);
  try {
    await program.parseAsync(args, { from: "user" });
    return exitCode;
  } catch (error) {
    // Commander has said it.
    if (error instanceof CommanderError) return exitCodeOf(error);
    const refused = error instanceof KubeError ? `The API server refuses (${error.code}): ` : "";
    say(`error: ${refused}${printable((error as Error).message)}`);
    return exitCodeOf(error);
  }
}

if (import.meta.main) Deno.exit(await main(Deno.args));
