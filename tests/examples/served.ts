/**
 * Policies as their owners serve them, each on a port of its own.
 *
 * @module
 */
import { join, resolve } from "node:path";
import { bundler } from "../../cli/worker_bundle.ts";
import { type ManagedProcess, startProcess } from "../../cli/process.ts";
import { startWorkerd } from "../../cli/workerd.ts";
import { childDeno } from "../../tools/child_deno.ts";

const root = new URL("../..", import.meta.url).pathname;

/** A policy that answers. */
export interface ServedPolicy extends AsyncDisposable {
  readonly url: string;
}

/** Whether a program is there; under CI=true it must be. */
export async function has(program: string): Promise<boolean> {
  const { success } = await new Deno.Command("sh", {
    args: ["-c", `command -v ${program}`],
    stdout: "null",
  }).output();
  if (!success && Deno.env.get("CI") === "true") throw new Error(`"${program}" is not installed`);
  return success;
}

/** A folder that is removed. */
export function folder(): { path: string } & AsyncDisposable {
  const path = Deno.makeTempDirSync({ prefix: "muster-policy-" });
  return { path, [Symbol.asyncDispose]: () => Deno.remove(path, { recursive: true }) };
}

/** Serves by a command that prints where it listens. */
export async function serveBy(
  [command, ...args]: readonly [string, ...string[]],
  { cwd = root, env = {} }: { cwd?: string; env?: Record<string, string> } = {},
): Promise<ServedPolicy> {
  const dir = folder();
  const listening = Promise.withResolvers<string>();
  const child: ManagedProcess = startProcess({
    name: args.at(-1) ?? command,
    command: "sh",
    // `deno serve` says on standard error where it listens.
    args: ["-c", 'exec "$0" "$@" 2>&1', command, ...args],
    cwd,
    env: { NO_COLOR: "1", PORT: "0", LEDGER: join(dir.path, "ledger.sqlite"), ...env },
    logFile: join(dir.path, "log"),
    onLine: (line) => {
      const url = /http:\/\/127\.0\.0\.1:\d+/.exec(line)?.[0];
      if (url) listening.resolve(url);
    },
  });
  const url = await child.orFailure(() => listening.promise);
  return {
    url,
    [Symbol.asyncDispose]: async () => {
      await child.kill();
      await dir[Symbol.asyncDispose]();
    },
  };
}

/** `deno serve` of a module. */
export function serveOnDeno(file: string, env: Record<string, string> = {}): Promise<ServedPolicy> {
  const address = ["--host", "127.0.0.1", "--port", "0"];
  return serveBy([Deno.execPath(), "serve", "-A", "--no-check", ...address, file], { env });
}

/** A module on workerd, bundled as wrangler would. */
export async function serveOnWorkerd(
  file: string,
  vars: Record<string, string> = {},
  { classes = [], dir = folder() }: {
    /** Durable objects, each bound by its name in capitals. */
    classes?: readonly string[];
    /** Where they are kept; absent: nowhere after it has ended. */
    dir?: { path: string } & AsyncDisposable;
  } = {},
): Promise<ServedPolicy> {
  const bundle = join(dir.path, "policy.js");
  const buildSync = await bundler();
  buildSync({
    entryPoints: [resolve(root, file)],
    outfile: bundle,
    bundle: true,
    format: "esm",
    logLevel: "warning",
  });
  const workerd = await startWorkerd({
    dir: join(dir.path, "workerd"),
    workers: {
      policy: {
        bundle,
        vars,
        classes,
        objects: classes.map((name) => ({ name: name.toUpperCase(), class: name })),
      },
    },
  });
  return {
    url: workerd.urlOf("policy"),
    [Symbol.asyncDispose]: async () => {
      await workerd.stop();
      await dir[Symbol.asyncDispose]();
    },
  };
}

/** What `deno task conform` says of a policy, and its exit code. */
export async function conform(...args: string[]): Promise<{ code: number; text: string }> {
  const { code, stdout, stderr } = await childDeno(
    ["run", "-A", "--no-check", "tools/conform.ts", "--max-p99=5s", "--calls=20", ...args],
    { cwd: root, env: { NO_COLOR: "1" }, stdout: "piped", stderr: "piped" },
  ).output();
  const text = [stdout, stderr].map((bytes) => new TextDecoder().decode(bytes)).join("");
  return { code, text };
}
