/**
 * The Deno entry: all stages over the embedded store.
 *
 * @module
 */
import { Command } from "commander";
import { configurationFrom } from "../shared/http/configuration.ts";
import { whyOf } from "../shared/client/why_of.ts";
import { embeddedBindings } from "../shared/store/embedded/bindings.ts";
import { watchLaunchers } from "../shared/http/launchers.ts";
import { log, type LogLevel, setLogLevel } from "../shared/http/log.ts";
import { shutDown } from "../shared/http/shut_down.ts";
import { addLogLevel, addPolicy, addPort, parsed, variablesOf } from "./command_line.ts";
import { policy } from "./policy.ts";
import { type Stages, stagesInProcess } from "./stages.ts";

/** The policy endpoints in this process, over a store of its own. */
export interface PolicyHost {
  /** The stages for this process, which speaks for that cluster and needs no credential. */
  stages(cluster: string): Stages;
  /** Answers a request that came over the network. */
  serve(request: Request, info: Deno.ServeHandlerInfo): Promise<Response>;
  /** Ends the store. */
  close(): Promise<void>;
}

/**
 * Opens the embedded store in a folder and gives the functions that run over it.
 *
 * @throws {Error} if the folder is in use.
 * @throws {ConfigurationError} that names everything that is wrong with the variables.
 */
export function openPolicy(
  { store, vars = {} }: { store: string; vars?: Record<string, string> },
): PolicyHost {
  configurationFrom(vars);
  const bindings = embeddedBindings({
    dir: store,
    vars,
    onError: (error) => log("error", whyOf(error)),
    onNote: (note) => log("info", note),
  });
  return {
    stages: (cluster) => stagesInProcess(bindings, cluster),
    serve: async (request, { remoteAddr }) =>
      await policy.fetch(request, { ...bindings, remoteAddr }),
    close: () => bindings.close(),
  };
}

/** What is known of a request. */
export interface AboutRequest {
  readonly info: Deno.ServeHandlerInfo;
  /** Of its URL. */
  readonly pathname: string;
}

/** Serves on loopback, says where, and resolves when a signal, or the end of its launcher, has ended it. */
export async function serveUntilSignal(
  options: {
    port: number;
    fetch: (request: Request, about: AboutRequest) => Response | Promise<Response>;
    beforeEnd?: () => Promise<void>;
  },
): Promise<void> {
  const ending = new AbortController();
  // Whoever reads that it listens may end it at once.
  const asked = endAsked();
  const address = { hostname: "127.0.0.1", port: options.port, flag: "--port" };
  const answer: Deno.ServeHandler = async (request, info) => {
    const url = URL.parse(request.url);
    // A Host that makes no URL.
    if (!url) return new Response("Bad Request", { status: 400 });
    return upTo(ending.signal, await options.fetch(request, { info, pathname: url.pathname }));
  };
  const server = await listenOrExit(
    () =>
      Deno.serve({
        ...address,
        // deno-lint-ignore no-console -- the line that callers wait for
        onListen: ({ port }) => console.log(`listening: http://127.0.0.1:${port}`),
      }, answer),
    address,
  );
  await asked;
  await options.beforeEnd?.();
  ending.abort();
  await shutDown(server);
}

/** The answer; if it is a stream of events, which ends by itself only later, it breaks off with the signal. */
function upTo(signal: AbortSignal, response: Response): Response {
  const isStream = response.headers.get("content-type")?.startsWith("text/event-stream");
  if (!isStream || !response.body) return response;
  return new Response(response.body.pipeThrough(new TransformStream(), { signal }), response);
}

/** Resolves when a signal asks this process to end, or the end of its launcher where that can be seen. */
export async function endAsked(): Promise<void> {
  const asked = Promise.withResolvers<void>();
  for (const name of ["SIGINT", "SIGTERM"] as const) {
    Deno.addSignalListener(name, () => asked.resolve());
  }
  const unwatch = watchLaunchers(asked.resolve);
  await asked.promise;
  unwatch();
}

/** Serves the policy endpoints over an embedded store, as the flags say, until the process is asked to end. */
export async function servePolicy(options: Record<string, unknown>): Promise<never> {
  setLogLevel(options["logLevel"] as LogLevel);
  const host = await orExit(() =>
    openPolicy({ store: String(options["store"]), vars: variablesOf(options) })
  );
  await serveUntilSignal({
    port: Number(options["port"]),
    fetch: (request, { info }) => host.serve(request, info),
  });
  await host.close();
  Deno.exit(0);
}

/** Ends the process with a sentence where a command can not start. */
export async function orExit<T>(start: () => T | Promise<T>): Promise<T> {
  try {
    return await start();
  } catch (error) {
    // deno-lint-ignore no-console -- for the person who typed the command
    console.error(`error: ${(error as Error).message}`);
    Deno.exit(1);
  }
}

/** Ends the process with a sentence where nobody can listen at the address of a flag. */
export function listenOrExit<T>(
  listen: () => T | Promise<T>,
  { hostname = "", port, flag }: { hostname?: string | undefined; port: number; flag: string },
): Promise<T> {
  return orExit(async () => {
    try {
      return await listen();
    } catch (error) {
      const { code, message } = error as Error & { code?: string };
      const why = code === "EADDRINUSE" ? "the port is in use" : message;
      throw new Error(`Cannot listen on ${hostname}:${port}: ${why}: choose another ${flag}`);
    }
  });
}

if (import.meta.main) {
  const command = new Command("functions").description(
    "Serve the policy endpoints over an embedded store",
  );
  await servePolicy(parsed(addPolicy(addLogLevel(addPort(command)))));
}
