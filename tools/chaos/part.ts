import { type ManagedProcess, sendSignal } from "../../cli/process.ts";
import { sleep } from "../sleep.ts";

/** An end that nobody asked for. */
export interface OwnEnd {
  /** Milliseconds since the epoch. */
  readonly at: number;
  readonly part: string;
  readonly code: number;
  /** The last lines of its log. */
  readonly said: string;
}

/** A process that was asked to end and has not is killed after so long; a kubelet waits 30 s. */
const graceMs = 15_000;

/** A program that is started again whenever it has ended, as a kubelet does. */
export class Part implements AsyncDisposable {
  readonly name: string;
  /** How often it ended although nobody asked it to. */
  readonly ownEnds: OwnEnd[] = [];
  readonly #launch: () => ManagedProcess | Promise<ManagedProcess>;
  readonly #restartMs: () => number;
  readonly #running: Promise<void>;
  #process: ManagedProcess | undefined;
  #started = Promise.withResolvers<ManagedProcess>();
  #isAsked = false;
  #isOver = false;

  /** `restartMs` is how long it takes until an ended one is started again. */
  constructor(
    name: string,
    { launch, restartMs }: {
      launch: () => ManagedProcess | Promise<ManagedProcess>;
      restartMs: () => number;
    },
  ) {
    this.name = name;
    this.#launch = launch;
    this.#restartMs = restartMs;
    this.#running = this.#run();
  }

  /** The process of now; undefined where there is none. */
  get process(): ManagedProcess | undefined {
    return this.#process;
  }

  /** Ends the process of now, or of the next start where there is none, by a signal; resolves when it is gone. */
  async end(signal: "SIGKILL" | "SIGTERM"): Promise<void> {
    const process = await this.#started.promise;
    this.#isAsked = true;
    if (signal === "SIGKILL") await process.kill();
    else await process.stop(graceMs);
  }

  /** Stops the process of now for a time, if it lives so long. */
  async stop(ms: number): Promise<void> {
    const { pid } = await this.#started.promise;
    await stopProcess(pid, ms);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#isOver = true;
    await this.#process?.stop();
    await this.#running;
  }

  async #run(): Promise<void> {
    while (!this.#isOver) {
      const process = await this.#launch();
      this.#isAsked = false;
      this.#process = process;
      this.#started.resolve(process);
      const { code } = await process.exited;
      this.#process = undefined;
      this.#started = Promise.withResolvers();
      if (!this.#isAsked && !this.#isOver) {
        const said = await process.logTail(5);
        this.ownEnds.push({ at: Date.now(), part: this.name, code, said });
      }
      if (!this.#isOver) await sleep(this.#restartMs());
    }
  }
}

/** Stops a process for a time, if it lives so long. */
export async function stopProcess(pid: number, ms: number): Promise<void> {
  sendSignal(pid, "SIGSTOP");
  await sleep(ms);
  sendSignal(pid, "SIGCONT");
}
