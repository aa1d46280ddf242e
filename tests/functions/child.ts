import { join } from "node:path";
import { type ManagedProcess, startProcess } from "../../cli/process.ts";

const root = new URL("../..", import.meta.url).pathname;

/** A `deno` child that serves on loopback, over a store in a folder of its own; both end with the test. */
export class ServingChild implements AsyncDisposable {
  readonly dir = Deno.makeTempDirSync({ prefix: "muster-child-" });
  readonly store = join(this.dir, "store");
  process: ManagedProcess | undefined;
  url = "";

  /** Starts it, and resolves when it has said where it listens. */
  async start(args: string[], env: Record<string, string> = {}): Promise<void> {
    const listening = Promise.withResolvers<string>();
    const child = startProcess({
      name: args.at(-1)!,
      // `deno serve` says on standard error where it listens.
      command: "sh",
      args: ["-c", 'exec "$0" "$@" 2>&1', Deno.execPath(), ...args],
      cwd: root,
      logFile: join(this.dir, "log"),
      env: { MUSTER_STORE: this.store, NO_COLOR: "1", ...env },
      onLine: (line) => {
        const url = /http:\/\/127\.0\.0\.1:\d+/.exec(line)?.[0];
        if (url) listening.resolve(url);
      },
    });
    this.process = child;
    this.url = await child.orFailure(() => listening.promise);
  }

  /** Its answer, as JSON. */
  // deno-lint-ignore no-explicit-any -- what a body is, is what the tests are about
  async ask(path: string, body?: unknown): Promise<any> {
    const response = await fetch(this.url + path, {
      headers: { "content-type": "application/json" },
      ...(body !== undefined && { method: "POST", body: JSON.stringify(body) }),
    });
    return await response.json();
  }

  /** What it has printed. */
  output(): Promise<string> {
    return Deno.readTextFile(join(this.dir, "log"));
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.process?.kill();
    await Deno.remove(this.dir, { recursive: true });
  }
}
