/** A CPU profile as V8 writes it; Chrome's developer tools open it under the extension `.cpuprofile`. */
export interface CpuProfile {
  nodes: {
    id: number;
    callFrame: { functionName: string; url: string; lineNumber: number };
    children?: number[];
  }[];
  samples: number[];
  /** Microseconds since the sample before. */
  timeDeltas: number[];
}

/** Profiles a Deno process that runs with `--inspect`, over its inspector. */
export class Profiler implements Disposable {
  readonly #socket: WebSocket;
  readonly #answers = new Map<number, (result: unknown) => void>();
  #calls = 0;

  private constructor(socket: WebSocket) {
    this.#socket = socket;
    socket.onmessage = ({ data }) => {
      const { id, result } = JSON.parse(data);
      this.#answers.get(id)?.(result);
      this.#answers.delete(id);
    };
  }

  /** `url` is what `--inspect` was given, as http. */
  static async connect(url: string): Promise<Profiler> {
    const [target] = await (await fetch(`${url}/json/list`)).json();
    const socket = new WebSocket(target.webSocketDebuggerUrl);
    const opened = Promise.withResolvers<void>();
    socket.onopen = () => opened.resolve();
    socket.onerror = () => opened.reject(new Error(`Cannot connect to the inspector at "${url}"`));
    await opened.promise;
    const profiler = new Profiler(socket);
    await profiler.#call("Profiler.enable");
    await profiler.#call("Profiler.setSamplingInterval", { interval: 500 });
    return profiler;
  }

  async start(): Promise<void> {
    await this.#call("Profiler.start");
  }

  async stop(): Promise<CpuProfile> {
    const { profile } = await this.#call("Profiler.stop") as { profile: CpuProfile };
    return profile;
  }

  [Symbol.dispose](): void {
    this.#socket.close();
  }

  #call(method: string, params: object = {}): Promise<unknown> {
    const id = ++this.#calls;
    const answer = Promise.withResolvers<unknown>();
    this.#answers.set(id, answer.resolve);
    this.#socket.send(JSON.stringify({ id, method, params }));
    return answer.promise;
  }
}

/** The functions in which most of the time was spent, without what they called: `milliseconds  name  place`. */
export function topFunctions(profile: CpuProfile, count: number): string[] {
  const nodes = new Map(profile.nodes.map((node) => [node.id, node.callFrame]));
  const times = new Map<string, number>();
  for (const [index, sample] of profile.samples.entries()) {
    const frame = nodes.get(sample);
    if (frame === undefined) continue;
    const place = frame.url === "" ? "" : `${shorten(frame.url)}:${frame.lineNumber + 1}`;
    const key = `${frame.functionName || "(anonymous)"}  ${place}`;
    // The time after a sample is spent where the sample was taken.
    times.set(key, (times.get(key) ?? 0) + (profile.timeDeltas[index + 1] ?? 0) / 1000);
  }
  return [...times].sort(([, a], [, b]) => b - a).slice(0, count)
    .map(([key, milliseconds]) => `${milliseconds.toFixed(0).padStart(7)} ms  ${key}`);
}

function shorten(url: string): string {
  return url.replace(/^.*\/node_modules\/\.deno\//, "").replace(/^file:\/\//, "");
}
