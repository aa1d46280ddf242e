/**
 * A watch of the API server: one answer that goes on, with a line for each event.
 *
 * The client library reads it through Node's streams in JavaScript, which costs more than the events themselves.
 *
 * @module
 */
import { dropUnread } from "../kubernetes/unread.ts";
import { type KubeApi, KubeError } from "./kube_api.ts";

/** A watch that says nothing for so long may be on a dead connection: it ends. */
const silentMs = 30_000;
const looksPerSilence = 3;

const bufferBytes = 65_536;

/** What a line says: an object as it is now, or only its resourceVersion (`BOOKMARK`). */
export interface WatchEvent<T> {
  readonly type: "ADDED" | "MODIFIED" | "DELETED" | "BOOKMARK";
  readonly object: T;
}

/** An open watch. */
export interface KubeWatch {
  /**
   * Resolves when the server ended it, when it fell silent, and after `end()`.
   *
   * @throws {KubeError} where the API server refuses; its code is 410 where the version is too old.
   * @throws {DOMException} where it does not answer at all.
   */
  readonly ended: Promise<void>;
  end(): void;
}

/**
 * Opens a watch from a version on, for example of `/api/v1/pods`. Each call of `api` must have a connection of its own, whose
 * signal says `TimeoutError` after a silence: other connections to that server may be dead too.
 */
export function openWatch<T>(
  api: KubeApi,
  { path, resourceVersion, heard }: {
    path: string;
    resourceVersion: string;
    heard: (event: WatchEvent<T>) => void;
  },
): KubeWatch {
  const controller = new AbortController();
  let silence = 0;
  let isAnswered = false;
  const timer = setInterval(() => {
    if (++silence < looksPerSilence) return;
    controller.abort(new DOMException(`Silent for ${silentMs} ms`, "TimeoutError"));
  }, silentMs / looksPerSilence);
  const query = new URLSearchParams({
    watch: "true",
    allowWatchBookmarks: "true",
    resourceVersion,
  });
  const read = async () => {
    try {
      const body = await api.open(`${path}?${query}`, controller.signal);
      isAnswered = true;
      await readLines(body, controller.signal, (lines) => {
        silence = 0;
        for (const line of lines) heard(eventOf(line));
      });
    } catch (error) {
      const { aborted, reason } = controller.signal;
      if (!aborted) throw error;
      // Nothing may happen for long; but that a watch has begun is said at once.
      if (!isAnswered && reason.name === "TimeoutError") throw reason;
    } finally {
      clearInterval(timer);
      controller.abort();
    }
  };
  return { ended: read(), end: () => controller.abort() };
}

function eventOf<T>(line: string): WatchEvent<T> {
  const event = JSON.parse(line);
  if (event.type === "ERROR") {
    throw new KubeError(event.object.code, { message: event.object.message });
  }
  dropUnread(event.object);
  return event;
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
