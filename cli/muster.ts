/**
 * `deno task muster`, which is also `kubectl muster`: what gangs do and why, for people and scripts.
 *
 * @module
 */
import { KubeError } from "../shared/client/kube_api.ts";
import { exitWith } from "./exit_with.ts";
import { commandLine } from "./muster/command_line.ts";
import { exitCodes, Failure } from "./muster/failure.ts";

/** Runs a command line and gives its exit code. */
async function main(args: string[]): Promise<number> {
  let exitCode: number = exitCodes.done;
  const program = commandLine((code) => exitCode = code);
  try {
    await program.parseAsync(args, { from: "user" });
    return exitCode;
  } catch (error) {
    if (!(error instanceof KubeError)) throw error;
    throw new Failure(`The API server refuses (${error.code}): ${error.message}`);
  }
}

if (import.meta.main) await exitWith(() => main(Deno.args));
