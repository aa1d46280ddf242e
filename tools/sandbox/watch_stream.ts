import { ApiError } from "./api_error.ts";
import type { KubeObject } from "./objects.ts";
import type { Change, ObjectStore } from "./object_store.ts";
import type { Selector } from "./selectors.ts";

/** What one watch request asks for. */
export interface WatchRequest {
  store: ObjectStore;
  storage: string;
  query: URLSearchParams;
  selects: Selector;
  /** The object as this API version shows it. */
  view: (object: KubeObject) => KubeObject;
  /** `apiVersion` and `kind` of a bookmark. */
  type: { apiVersion: string; kind: string };
}

/** An open watch: the HTTP answer and the way to end it. */
export interface Watch {
  response: Response;
  /** `broken` ends the connection in the middle, as a crash does; otherwise the stream ends normally. */
  end(options: { broken: boolean }): void;
}

const ENCODER = new TextEncoder();

/** A watch that may be opened; 400 or 422 for one that may not. */
export function watchRequest(request: WatchRequest): WatchRequest {
  const { query } = request;
  const version = query.get("resourceVersion") ?? "";
  if (!/^\d*$/.test(version)) {
    throw new ApiError(400, `Invalid resourceVersion: "${version}"`);
  }
  if (query.has("sendInitialEvents")) {
    throw new ApiError(422, "sendInitialEvents is forbidden for watch unless WatchList is enabled");
  }
  return request;
}

/** Opens a watch: JSON lines from a resourceVersion on, or from the present objects when none (or "0") is given. */
export function openWatch(request: WatchRequest, onEnd: (watch: Watch) => void): Watch {
  const { store, query } = request;
  const version = query.get("resourceVersion") ?? "";
  let stop: (options: { broken: boolean }) => void = () => {};
  const body = new ReadableStream({
    type: "bytes",
    start(controller) {
      let unsubscribe = () => {};
      let timer: ReturnType<typeof setTimeout> | undefined;
      const send = (type: string, object: unknown) =>
        controller.enqueue(ENCODER.encode(`${JSON.stringify({ type, object })}\n`));
      stop = ({ broken }) => {
        unsubscribe();
        clearTimeout(timer);
        stop = () => {};
        onEnd(watch);
        if (broken) controller.error(new Error("The watch was dropped"));
        else controller.close();
      };
      const missed = version === "" || version === "0" ? [] : store.since(Number(version));
      if (missed === undefined) {
        const expired = new ApiError(
          410,
          `too old resource version: ${version} (${store.version})`,
        );
        send("ERROR", expired.status);
        queueMicrotask(() => stop({ broken: false }));
        return;
      }
      const pass = (change: Change) => {
        const type = typeForWatcher(change, request);
        if (type !== undefined) send(type, request.view(change.object));
      };
      if (version === "" || version === "0") {
        for (const object of store.list(request.storage)) {
          if (request.selects(object)) send("ADDED", request.view(object));
        }
      }
      for (const change of missed) pass(change);
      unsubscribe = store.subscribe(pass);
      const seconds = Number(query.get("timeoutSeconds") ?? 0);
      if (seconds > 0) {
        timer = setTimeout(() => {
          if (query.get("allowWatchBookmarks") === "true") {
            const metadata = { resourceVersion: String(store.version) };
            send("BOOKMARK", { ...request.type, metadata });
          }
          stop({ broken: false });
        }, seconds * 1000);
      }
    },
    cancel() {
      // The client hung up: nothing is left to close.
      try {
        stop({ broken: false });
      } catch {
        // Closing a cancelled stream throws; that it is gone is all we want.
      }
    },
  });
  const watch: Watch = {
    response: new Response(body, { headers: { "content-type": "application/json" } }),
    end: (options) => stop(options),
  };
  return watch;
}

/** How a change looks through the selector: an object that enters is ADDED, one that leaves is DELETED. */
function typeForWatcher(change: Change, request: WatchRequest): string | undefined {
  if (change.storage !== request.storage) return undefined;
  const now = change.type !== "DELETED" && request.selects(change.object);
  const before = change.previous !== undefined && request.selects(change.previous);
  if (now) return before ? "MODIFIED" : "ADDED";
  return before ? "DELETED" : undefined;
}
