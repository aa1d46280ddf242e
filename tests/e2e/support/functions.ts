import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { freePorts } from "../../../tools/control_plane/ports.ts";
import { type ManagedProcess, startProcess } from "../../../tools/process.ts";

const root = fileURLToPath(new URL("../../..", import.meta.url));

/** The policy functions as a process of their own, which can be killed and started again at the same address. */
export class Functions {
  /** Such as `http://127.0.0.1:8080`. */
  readonly url: string;
  /** Path of what they print. */
  readonly logFile: string;
  readonly #dir: string;
  readonly #port: number;
  #process: ManagedProcess | undefined;

  /** `dir` keeps the store and the log. */
  constructor(dir: string) {
    this.#dir = dir;
    this.logFile = join(dir, "functions.log");
    this.#port = freePorts(["functions"]).functions;
    this.url = `http://127.0.0.1:${this.#port}`;
  }

  /** Resolves when they listen. */
  async start(
    { env = {}, runtime = "deno" }: {
      env?: Record<string, string>;
      runtime?: "deno" | "workerd";
    } = {},
  ): Promise<void> {
    const listening = Promise.withResolvers<void>();
    this.#process = startProcess({
      name: "functions",
      command: Deno.execPath(),
      args: [
        "run",
        "-A",
        join(root, "tools/functions.ts"),
        `--runtime=${runtime}`,
        `--port=${this.#port}`,
        `--store=${join(this.#dir, "store")}`,
      ],
      cwd: root,
      env,
      logFile: this.logFile,
      onLine: (line) => {
        if (line === `listening: ${this.url}`) listening.resolve();
      },
    });
    await this.#process.orFailure(() => listening.promise);
  }

  /** Ends them at once, as a crash would. */
  async kill(): Promise<void> {
    await this.#process?.kill();
  }
}
