/**
 * Workers behind `wrangler dev`, as their owners try them.
 *
 * @module
 */
import { join } from "node:path";
import { startProcess } from "../../cli/process.ts";

const root = new URL("../..", import.meta.url).pathname;

/** A Worker that answers; it ends, with the workerd below it, when it is disposed of. */
export interface WranglerDev extends AsyncDisposable {
  readonly url: string;
}

/** What it runs. */
export interface WranglerDevOptions {
  /** Where wrangler looks for its configuration, and writes: nothing above it may have a wrangler.toml. */
  readonly dir: string;
  /** After `wrangler dev`: a module, say. */
  readonly args: readonly string[];
  /** Text bindings. */
  readonly vars?: Readonly<Record<string, string>>;
}

/** Nothing is fetched, asked, or told to anybody but this machine. */
const quiet = {
  CI: "true",
  NO_COLOR: "1",
  CLOUDFLARE_CF_FETCH_ENABLED: "false",
  WRANGLER_HIDE_BANNER: "true",
  WRANGLER_SEND_METRICS: "false",
};

/** Resolves when it says that it is ready. */
export async function wranglerDev(
  { dir, args, vars = {} }: WranglerDevOptions,
): Promise<WranglerDev> {
  const ready = Promise.withResolvers<string>();
  const bindings = Object.entries(vars).flatMap(([name, value]) => ["--var", `${name}:${value}`]);
  const child = startProcess({
    name: "wrangler dev",
    command: Deno.execPath(),
    args: [
      ...["run", "-A", `--config=${root}deno.json`, "npm:wrangler@4.156.0", "dev", ...args],
      ...["--ip=127.0.0.1", "--port=0", "--inspector-port=0"],
      ...["--show-interactive-dev-session=false", `--persist-to=${join(dir, "state")}`],
      ...bindings,
    ],
    cwd: dir,
    env: { ...quiet, WRANGLER_LOG_PATH: join(dir, "log") },
    logFile: join(dir, "wrangler.log"),
    onLine: (line) => {
      const url = /Ready on (http:\/\/127\.0\.0\.1:\d+)/.exec(line)?.[1];
      if (url) ready.resolve(url);
    },
  });
  return {
    url: await child.orFailure(() => ready.promise),
    [Symbol.asyncDispose]: () => child.stop(),
  };
}
