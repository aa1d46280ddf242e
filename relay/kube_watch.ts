/**
 * A watch of the API server: one answer that goes on, with a line for each event.
 *
 * The client library reads it through Node's streams in JavaScript, which costs more than the events themselves.
 *
 * @module
 */
import type { KubeApi } from "./kube_api.ts";

/** A watch that says nothing for so long may be on a dead connection: it is opened again. */
const silentMs = 30_000;
const looksPerSilence = 3;

const bufferBytes = 65_536;

/** Opens watches as the client library's ListWatch wants it. */
export class KubeWatch {
  readonly #api: KubeApi;

  /** Each call of `api` has a connection of its own. */
  constructor(api: KubeApi) {
    this.#api = api;
  }

  /**
   * Tells the events at a path, then once how it ended: null where the server ended it, a `TimeoutError` after a
   * silence, a `KubeError` where the API server refused, or another error. Ended earlier by the controller.
   */
  watch(
    path: string,
    query: Record<string, string>,
    told: (type: string, object: unknown) => void,
    ended: (error: Error | null) => void,
  ): Promise<AbortController> {
    const controller = new AbortController();
    let silence = 0;
    const timer = setInterval(() => {
      if (++silence < looksPerSilence) return;
      controller.abort(new DOMException(`Silent for ${silentMs} ms`, "TimeoutError"));
    }, silentMs / looksPerSilence);
    const end = (error: Error | null) => {
      clearInterval(timer);
      controller.abort();
      ended(error);
    };
    const url = `${path}?${new URLSearchParams({ watch: "true", ...query })}`;
    this.#api.open(url, controller.signal).then((body) =>
      readLines(body, controller.signal, (lines) => {
        silence = 0;
        for (const line of lines) {
          const { type, object } = JSON.parse(line);
          told(type, object);
        }
      })
    ).then(() => end(null), end);
    return Promise.resolve(controller);
  }
}

/** Reads lines until the body ends or the signal says so; half a line at its end is dropped. None at all: a part of one came. */
async function readLines(
  body: ReadableStream<Uint8Array<ArrayBuffer>>,
  signal: AbortSignal,
  read: (lines: readonly string[]) => void,
): Promise<void> {
  const reader = body.getReader({ mode: "byob" });
  // fetch got the signal too, but Deno forgets it when it collects garbage.
  signal.addEventListener("abort", () => reader.cancel().catch(() => {}));
  const decoder = new TextDecoder();
  // One buffer for all reads: each would get a new one.
  let buffer = new Uint8Array(bufferBytes);
  let rest = "";
  while (true) {
    const { value, done } = await reader.read(buffer);
    signal.throwIfAborted();
    if (done) return;
    const lines = (rest + decoder.decode(value, { stream: true })).split("\n");
    buffer = new Uint8Array(value.buffer);
    rest = lines.pop()!;
    read(lines);
  }
}
