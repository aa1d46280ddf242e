import { join } from "node:path";
import type { ManagedProcess } from "../../cli/process.ts";
import { launchProgram } from "../program.ts";
import { freePorts } from "./ports.ts";

/** How the functions are started. */
export interface FunctionsOptions {
  env?: Record<string, string>;
  runtime?: "deno" | "workerd";
  /** More flags for Deno itself. */
  denoArgs?: string[];
}

/** The policy functions as a process of their own, which can be killed and started again at the same address. */
export class Functions {
  /** Such as `http://127.0.0.1:8080`. */
  readonly url: string;
  /** Path of what they print. */
  readonly logFile: string;
  /** The folder of the store. */
  readonly store: string;
  readonly #port: number;
  #process: ManagedProcess | undefined;

  /** `dir` keeps the store and the log. */
  constructor(dir: string) {
    this.store = join(dir, "store");
    this.logFile = join(dir, "functions.log");
    this.#port = freePorts(["functions"]).functions;
    this.url = `http://127.0.0.1:${this.#port}`;
  }

  /** Resolves when they listen. */
  async start(options: FunctionsOptions = {}): Promise<void> {
    const { process, listens } = this.launch(options);
    await process.orFailure(() => listens);
  }

  /** Starts them without waiting; `listens` resolves when they do. */
  launch(
    { env = {}, runtime = "deno", denoArgs = [] }: FunctionsOptions = {},
  ): { process: ManagedProcess; listens: Promise<unknown> } {
    const { process, url } = launchProgram({
      name: "functions",
      script: "cli/functions.ts",
      args: [
        `--runtime=${runtime}`,
        `--port=${this.#port}`,
        `--store=${this.store}`,
      ],
      env,
      denoArgs,
      logFile: this.logFile,
    });
    this.#process = process;
    return { process, listens: url };
  }

  /** Ends them at once, as a crash would. */
  async kill(): Promise<void> {
    await this.#process?.kill();
  }
}
