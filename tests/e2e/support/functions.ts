import { join } from "node:path";
import { freePorts } from "../../../tools/control_plane/ports.ts";
import type { ManagedProcess } from "../../../cli/process.ts";
import { startProgram } from "../../../tools/program.ts";

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
    const { process } = await startProgram({
      name: "functions",
      script: "cli/functions.ts",
      args: [
        `--runtime=${runtime}`,
        `--port=${this.#port}`,
        `--store=${join(this.#dir, "store")}`,
      ],
      env,
      logFile: this.logFile,
    });
    this.#process = process;
  }

  /** Ends them at once, as a crash would. */
  async kill(): Promise<void> {
    await this.#process?.kill();
  }
}
