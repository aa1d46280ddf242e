/** Muster's own programs as child processes. */
import { fileURLToPath } from "node:url";
import { type ManagedProcess, type ProcessOptions, startProcess } from "../cli/process.ts";
import { underHostname } from "./control_plane/host_name.ts";

const root = fileURLToPath(new URL("..", import.meta.url));

/** What to run of Muster. */
export interface ProgramOptions extends Pick<ProcessOptions, "name" | "args" | "logFile" | "env"> {
  /** Path from the project's root, for example `cli/start.ts`. */
  script: string;
  /** More flags for Deno itself. */
  denoArgs?: string[];
  /** Of its own; this machine's by default. */
  hostname?: string | undefined;
}

/** Starts a program that prints `listening: <url>`; `url` resolves when it has. */
export function launchProgram(
  { script, args, env, denoArgs = [], hostname, ...options }: ProgramOptions,
): { process: ManagedProcess; url: Promise<string> } {
  const listening = Promise.withResolvers<string>();
  const process = startProcess({
    ...options,
    ...underHostname(hostname, {
      command: Deno.execPath(),
      args: ["run", "-A", ...denoArgs, root + script, ...args],
    }),
    cwd: root,
    env: { NO_COLOR: "1", ...env },
    onLine: (line) => {
      const url = /^listening: (\S+)$/.exec(line)?.[1];
      if (url !== undefined) listening.resolve(url);
    },
  });
  return { process, url: listening.promise };
}

/** Starts a program that prints `listening: <url>`; resolves when it has. */
export async function startProgram(
  options: ProgramOptions,
): Promise<{ process: ManagedProcess; url: string }> {
  const { process, url } = launchProgram(options);
  return { process, url: await process.orFailure(() => url) };
}
