/**
 * The Deno entry: all stages over the embedded store.
 *
 * @module
 */
import { Command, Option } from "commander";
import { isProfileName, profiles } from "../shared/core/settings.ts";
import { embeddedBindings } from "../shared/store/embedded/bindings.ts";
import { watchLaunchers } from "../shared/http/launchers.ts";
import { log } from "../shared/http/log.ts";
import { policy } from "./policy.ts";

/** The policy endpoints in this process, over a store of its own. */
export interface PolicyHost {
  /** Answers as if it had come over the network. */
  fetch(request: Request): Promise<Response>;
  /** Ends the store. */
  close(): Promise<void>;
}

/**
 * Opens the embedded store in a folder and gives the functions that run over it.
 *
 * @throws {Error} if the folder is in use, or there is no such profile.
 */
export function openPolicy(options: { store: string; profile: string }): PolicyHost {
  const { store, profile } = options;
  if (!isProfileName(profile)) {
    throw new Error(
      `Profile "${profile}" does not exist: use one of "${Object.keys(profiles).join('", "')}"`,
    );
  }
  const bindings = embeddedBindings({
    dir: store,
    vars: { MUSTER_PROFILE: profile },
    onError: (error) => log("error", error.message),
  });
  return {
    fetch: async (request) => await policy.fetch(request, bindings),
    close: () => bindings.close(),
  };
}

/** The flags that every command with a store has. */
export const storeOptions = [
  new Option("--store <folder>", "where the gang store is kept").env("MUSTER_STORE").default(
    ".muster/store",
  ),
  new Option("--profile <name>", "named set of policy settings").env("MUSTER_PROFILE").default(
    "default",
  )
    .choices(Object.keys(profiles)),
];

/** The flag of every command that serves. */
export const portOption = new Option("--port <number>", "port on 127.0.0.1; 0 picks a free one")
  .env("MUSTER_PORT").default(8080).argParser(parsePort);

function parsePort(text: string): number {
  const port = Number(text);
  if (/^\d+$/.test(text) && port <= 65535) return port;
  throw new Error(`--port is "${text}", but must be a number from 0 to 65535`);
}

/** Serves on loopback, says where, and resolves when a signal, or the end of its launcher, has ended it. */
export async function serveUntilSignal(
  options: {
    port: number;
    fetch: (request: Request) => Response | Promise<Response>;
    beforeEnd: () => Promise<void>;
  },
): Promise<void> {
  const server = Deno.serve({
    hostname: "127.0.0.1",
    port: options.port,
    // deno-lint-ignore no-console -- the line that callers wait for
    onListen: ({ port }) => console.log(`listening: http://127.0.0.1:${port}`),
  }, options.fetch);
  const signal = Promise.withResolvers<void>();
  for (const name of ["SIGINT", "SIGTERM"] as const) {
    Deno.addSignalListener(name, () => signal.resolve());
  }
  const unwatch = watchLaunchers(signal.resolve);
  await signal.promise;
  unwatch();
  await options.beforeEnd();
  await server.shutdown();
}

if (import.meta.main) {
  const command = new Command("functions")
    .description("Serve the policy endpoints over an embedded store")
    .addOption(portOption);
  for (const option of storeOptions) command.addOption(option);
  const { port, store, profile } = command.parse().opts();
  const host = openPolicy({ store, profile });
  await serveUntilSignal({ port, fetch: host.fetch, beforeEnd: () => host.close() });
  Deno.exit(0);
}
