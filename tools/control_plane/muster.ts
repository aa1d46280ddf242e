import { join } from "node:path";
import type { ManagedProcess } from "../../cli/process.ts";
import { launchProgram } from "../program.ts";
import type { ControlPlane } from "./control_plane.ts";
import { freePorts } from "./ports.ts";

/** How to start Muster; each is a flag of `deno task start`. */
export interface MusterOptions {
  profile?: string;
  /** Folder of the embedded store; `store` in the control plane's folder by default. */
  store?: string;
  /** A free one by default. */
  port?: number;
  /** `relay` of the control plane's by default. */
  kubeconfig?: string;
  /** The machine's by default; also names its log. */
  hostname?: string;
  /** More flags. */
  extraArgs?: string[];
  /** More flags for Deno itself. */
  denoArgs?: string[];
  /** Added to this process's own environment. */
  env?: Record<string, string>;
}

/** Those that the scheduler of a local cluster answers to. */
export const schedulerNames = "default-scheduler,muster";

/** As `deno task start` and the image run. */
const shippedV8 = "--v8-flags=--max-semi-space-size=8";

/** The process of `deno task start`, with the relay's identity; it can be killed and started again at the same address. */
export class Muster {
  /** Such as `http://127.0.0.1:8080`. */
  readonly url: string;
  readonly #controlPlane: ControlPlane;
  readonly #args: string[];
  readonly #denoArgs: string[];
  readonly #env: Record<string, string>;
  readonly #hostname: string | undefined;
  #process: ManagedProcess | undefined;

  constructor(controlPlane: ControlPlane, options: MusterOptions) {
    const port = options.port ?? freePorts(["muster"]).muster;
    this.url = `http://127.0.0.1:${port}`;
    this.#controlPlane = controlPlane;
    this.#denoArgs = options.denoArgs ?? [];
    this.#env = options.env ?? {};
    this.#hostname = options.hostname;
    this.#args = [
      `--kubeconfig=${options.kubeconfig ?? controlPlane.kubeconfigs.relay}`,
      `--port=${port}`,
      `--scheduler-name=${schedulerNames}`,
      `--store=${options.store ?? join(controlPlane.dir, "store")}`,
      ...(options.profile === undefined ? [] : [`--profile=${options.profile}`]),
      ...options.extraArgs ?? [],
    ];
  }

  /** The running process. */
  get process(): ManagedProcess {
    if (this.#process === undefined) throw new Error("Cannot use Muster before it was started");
    return this.#process;
  }

  /** Resolves when Muster has said that it listens. */
  async start(): Promise<void> {
    const { process, listens } = this.launch();
    await process.orFailure(() => listens);
  }

  /** Starts Muster without waiting; `listens` resolves when it does. */
  launch(): { process: ManagedProcess; listens: Promise<unknown> } {
    const name = this.#hostname ? `muster-${this.#hostname}` : "muster";
    const { process, url } = launchProgram({
      name,
      script: "cli/start.ts",
      args: this.#args,
      denoArgs: [shippedV8, ...this.#denoArgs],
      hostname: this.#hostname,
      env: this.#env,
      logFile: this.#controlPlane.logFile(name),
    });
    this.#process = process;
    this.#controlPlane.adopt(process);
    return { process, listens: url };
  }

  /** Ends Muster at once, as a crash would, or by another signal. */
  async kill(signal: Deno.Signal = "SIGKILL"): Promise<void> {
    await this.process.kill(signal);
  }
}

/** Starts Muster beside a control plane; resolves when it listens. The scheduler's extender calls go to its {@linkcode Muster.url}. */
export async function startMuster(
  controlPlane: ControlPlane,
  options: MusterOptions = {},
): Promise<Muster> {
  const muster = new Muster(controlPlane, options);
  await muster.start();
  return muster;
}
