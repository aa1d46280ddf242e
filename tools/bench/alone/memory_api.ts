import { Api, type ApiAnswer } from "../../sandbox/api.ts";
import type { KubeObject, Pod } from "../../sandbox/objects.ts";
import { openWatch } from "../../sandbox/watch_stream.ts";
import { nodeObject, podObject } from "./objects.ts";
import { nextTurn } from "./turn.ts";

const namespace = "bench";
/** After so many writes what was written before is forgotten: its memory is measured with the relay's. */
const writesKept = 1000;

/** Makes an object when it is listed. */
type Made = () => KubeObject;

/**
 * The sandbox's API server without its connections, for a relay that runs in the same process. Nodes and pods that were there
 * before are made anew for who lists them, so that only the relay keeps them.
 */
export class MemoryApi {
  readonly #api = new Api();
  readonly #made: Readonly<Record<string, Made[]>> = { "/api/v1/nodes": [], "/api/v1/pods": [] };
  #writes = 0;

  /** `written` is told of a pod that was created or changed. */
  constructor(written: (pod: Pod) => void) {
    this.#api.addNamespace(namespace);
    this.#api.store.subscribe(({ storage, object }) => {
      if (storage === "pods") written(object as Pod);
    });
  }

  /** Requests of the relay that changed something. */
  get writes(): number {
    return this.#writes;
  }

  /** Adds a node before the relay is started. */
  addNode(name: string, gpus: number): void {
    this.#made["/api/v1/nodes"]!.push(() => nodeObject(name, gpus));
  }

  /** Adds a pod that runs on a node, likewise. */
  addRunning(name: string, node: string): void {
    this.#made["/api/v1/pods"]!.push(() => podObject({ name, node }));
  }

  /** Creates a pod. */
  create(options: Parameters<typeof podObject>[0]): void {
    const path = `/api/v1/namespaces/${namespace}/pods`;
    this.#api.answer({ method: "POST", path, body: podObject(options) });
  }

  /** Writes that no node takes a pod, as the scheduler does. */
  setUnschedulable(pod: Pod, message: string): void {
    const condition = { type: "PodScheduled", status: "False", reason: "Unschedulable", message };
    this.#api.store.put("pods", { ...pod, status: { ...pod.status, conditions: [condition] } });
  }

  /** `fetch` of the relay. */
  readonly fetch = async (input: string | URL | Request, init?: RequestInit): Promise<Response> => {
    const { pathname: path, searchParams: query } = new URL(String(input));
    const { method = "GET", headers, body, signal } = init ?? {};
    const request = { method, path, query };
    if (method !== "GET") {
      await nextTurn();
      if (++this.#writes % writesKept === 0) this.#forget();
      const contentType = new Headers(headers).get("content-type") ?? "";
      return toResponse(
        this.#api.answer({ ...request, contentType, body: JSON.parse(String(body)) }),
      );
    }
    const made = this.#made[path];
    if (made && !query.has("watch")) return this.#page(path, { made, query });
    const answer = this.#api.answer(request);
    if (!answer.watch) return toResponse(answer);
    const watch = openWatch(answer.watch, () => {});
    signal?.addEventListener("abort", () => watch.end({ broken: false }));
    return watch.response;
  };

  /** Gives a part of what was there before, and with the last part what has been created since. */
  #page(path: string, { made, query }: { made: readonly Made[]; query: URLSearchParams }) {
    const from = Number(query.get("continue") ?? 0);
    const to = from + Number(query.get("limit") ?? Infinity);
    const items = made.slice(from, to).map((object) => object());
    const metadata = { resourceVersion: String(this.#api.store.version) };
    if (to < made.length) {
      return Response.json({ metadata: { ...metadata, continue: String(to) }, items });
    }
    const created = this.#api.store.list(path.split("/").at(-1)!);
    return Response.json({ metadata, items: [...items, ...created] });
  }

  #forget(): void {
    this.#api.store.compact();
    this.#api.audit.length = 0;
  }
}

function toResponse({ code, body }: ApiAnswer): Response {
  return Response.json(body, { status: code });
}
