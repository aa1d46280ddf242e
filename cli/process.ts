/** Child processes that log to a file and never outlive this process. */

/** What to run, and where its output goes. */
export interface ProcessOptions {
  /** The name used in messages, such as `kube-apiserver`. */
  name: string;
  command: string;
  args: string[];
  /** Standard output and standard error are appended to it. */
  logFile: string;
  /** Added to this process's own environment. */
  env?: Record<string, string>;
  cwd?: string;
  /** Called with each line of standard output, which then passes through this process into the log file. */
  onLine?: (line: string) => void;
  /** The same for standard error; only beside `onLine`. */
  onErrorLine?: (line: string) => void;
}

/** The parent's death between fork and prctl would be missed, hence the comparison of parent ids. */
const launch = `[ "$PPID" = "$MUSTER_PARENT" ] || exit 1
log=$1 piped=$2; shift 2
case $piped in
  none) exec "$@" >>"$log" 2>&1 ;;
  output) exec "$@" 2>>"$log" ;;
  all) exec "$@" ;;
esac`;

/**
 * A running child. The kernel kills it when this process dies, even by SIGKILL. It leads a process group of its own, so that a
 * Ctrl-C in the terminal reaches it only through {@linkcode stop}; what is left of the group when it ends is killed.
 */
export class ManagedProcess {
  readonly name: string;
  readonly pid: number;
  readonly logFile: string;
  /** Settles when the child has ended and its output is in the log file. */
  readonly exited: Promise<Deno.CommandStatus>;
  #running = true;
  #asked = false;

  constructor(options: ProcessOptions) {
    this.name = options.name;
    this.logFile = options.logFile;
    const piped = options.onLine !== undefined;
    const child = spawn(options, piped);
    this.pid = child.pid;
    this.exited = this.#follow(child, piped ? pump(child, options) : Promise.resolve());
  }

  get running(): boolean {
    return this.#running;
  }

  /** Rejects with the end of the log if the child ends unasked; never resolves. */
  async failure(): Promise<never> {
    const status = await this.exited;
    if (this.#asked) return await new Promise<never>(() => {});
    const how = status.signal === null ? `with code ${status.code}` : `by ${status.signal}`;
    throw new Error(
      `${this.name} ended unexpectedly ${how}; the end of its log ("${this.logFile}"):\n` +
        await this.logTail(),
    );
  }

  /** Resolves to what `wait` resolves to, unless the child ends first; the signal is aborted once nobody waits any more. */
  async orFailure<T>(wait: (signal: AbortSignal) => Promise<T>): Promise<T> {
    const waiting = new AbortController();
    try {
      return await Promise.race([wait(waiting.signal), this.failure()]);
    } finally {
      waiting.abort();
    }
  }

  /** Sends a signal and waits until the child is gone. */
  async kill(signal: Deno.Signal = "SIGKILL"): Promise<void> {
    this.#signal(signal);
    await this.exited;
  }

  /** Asks the child to end, and insists when it has not ended after `graceMs` milliseconds. */
  async stop(graceMs = 5_000): Promise<void> {
    this.#signal("SIGTERM");
    const timer = setTimeout(() => this.#signal("SIGKILL"), graceMs);
    await this.exited;
    clearTimeout(timer);
  }

  /** The last lines of the log. */
  async logTail(lines = 20): Promise<string> {
    const text = await Deno.readTextFile(this.logFile).catch(() => "");
    return text.trimEnd().split("\n").slice(-lines).join("\n");
  }

  async #follow(child: Deno.ChildProcess, pumped: Promise<void>): Promise<Deno.CommandStatus> {
    const status = await child.status;
    this.#running = false;
    sendSignal(-this.pid, "SIGKILL");
    await pumped;
    return status;
  }

  #signal(signal: Deno.Signal): void {
    this.#asked = true;
    if (this.#running) sendSignal(this.pid, signal);
  }
}

/** Sends a signal to a process, or to a group of processes by its number below 0, if there is one. */
export function sendSignal(pid: number, signal: Deno.Signal): void {
  try {
    Deno.kill(pid, signal);
  } catch (error) {
    if (!(error instanceof Deno.errors.NotFound)) throw error;
  }
}

const running = new Set<ManagedProcess>();

/** Starts a child as {@linkcode ManagedProcess} describes. */
export function startProcess(options: ProcessOptions): ManagedProcess {
  Deno.writeTextFileSync(options.logFile, "", { append: true });
  const child = new ManagedProcess(options);
  running.add(child);
  child.exited.finally(() => running.delete(child));
  return child;
}

/** Stops every running child, the youngest first, as those are the clients of the older ones. */
export async function stopAllProcesses(): Promise<void> {
  for (const child of [...running].reverse()) await child.stop();
}

function spawn(options: ProcessOptions, piped: boolean): Deno.ChildProcess {
  const through = options.onErrorLine ? "all" : piped ? "output" : "none";
  const launched = [options.logFile, through, options.command, ...options.args];
  const shell = ["sh", "-c", launch, "sh", ...launched];
  try {
    return new Deno.Command("setpriv", {
      args: ["--pdeathsig", "KILL", "--", ...shell],
      env: { ...options.env, MUSTER_PARENT: String(Deno.pid) },
      ...(options.cwd === undefined ? {} : { cwd: options.cwd }),
      stdin: "null",
      stdout: piped ? "piped" : "null",
      stderr: through === "all" ? "piped" : "null",
      detached: true,
    }).spawn();
  } catch (error) {
    if (!(error instanceof Deno.errors.NotFound)) throw error;
    throw new Error(
      `Cannot start ${options.name}: the command "setpriv" is missing: install util-linux`,
      { cause: error },
    );
  }
}

async function pump(child: Deno.ChildProcess, options: ProcessOptions): Promise<void> {
  using log = await Deno.open(options.logFile, { append: true });
  async function copy(stream: ReadableStream<Uint8Array>, onLine?: (line: string) => void) {
    const decoder = new TextDecoder();
    let rest = "";
    for await (const chunk of stream) {
      // A full disk costs the log, and neither the lines nor the program.
      await log.write(chunk).catch(() => {});
      const lines = (rest + decoder.decode(chunk, { stream: true })).split("\n");
      rest = lines.pop() ?? "";
      for (const line of lines) onLine?.(line);
    }
  }
  await Promise.all([
    copy(child.stdout, options.onLine),
    options.onErrorLine && copy(child.stderr, options.onErrorLine),
  ]);
}
