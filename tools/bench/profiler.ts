const root = new URL("../../", import.meta.url).href;

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

/** Where the time was spent, without what was called from there: by part of the program, and the first 60 functions. */
export function describeProfile(profile: CpuProfile): string {
  const frames = new Map(profile.nodes.map((node) => [node.id, node.callFrame]));
  const parts = new Map<string, number>();
  const functions = new Map<string, number>();
  for (const [index, sample] of profile.samples.entries()) {
    const frame = frames.get(sample);
    if (frame === undefined) continue;
    // The time after a sample is spent where the sample was taken.
    const milliseconds = (profile.timeDeltas[index + 1] ?? 0) / 1000;
    const place = placeOf(frame.url);
    add(parts, place.replace(/\/[^/]*$/, "") || frame.functionName, milliseconds);
    const name = frame.functionName || "(anonymous)";
    add(functions, place === "" ? name : `${name}  ${place}:${frame.lineNumber + 1}`, milliseconds);
  }
  return `${lines(parts, 30)}\n\n${lines(functions, 60)}\n`;
}

function add(times: Map<string, number>, key: string, milliseconds: number): void {
  times.set(key, (times.get(key) ?? 0) + milliseconds);
}

function lines(times: Map<string, number>, count: number): string {
  return [...times].sort(([, a], [, b]) => b - a).slice(0, count)
    .map(([key, milliseconds]) => `${milliseconds.toFixed(0).padStart(7)} ms  ${key}`).join("\n");
}

/** The path in the project or in a package; that of Deno's own files as it is. */
function placeOf(url: string): string {
  return url.replace(/^.*\/node_modules\/(?!.*\/node_modules\/)/, "").replace(root, "");
}
