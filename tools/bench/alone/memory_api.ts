import type { Pod } from "../../sandbox/objects.ts";
import { nodeObject, podObject } from "./objects.ts";
import { nextTurn } from "./turn.ts";

const encoder = new TextEncoder();
const podsPath = "/api/v1/pods";

/** Told of a pod that was written. */
type Written = (pod: Pod, type: "ADDED" | "MODIFIED") => void;

/**
 * An API server in memory, as far as the relay talks to it: answers `fetch`, and tells watches of pods. It does as little as it
 * can, because its time is measured with the relay's.
 */
export class MemoryApi {
  readonly pods = new Map<string, Pod>();
  readonly #nodes: (() => object)[] = [];
  readonly #running: (() => object)[] = [];
  readonly #watches = new Set<ReadableByteStreamController>();
  readonly #written: Written;
  #version = 1;
  #writes = 0;

  constructor(written: Written) {
    this.#written = written;
  }

  /** Requests that changed something. */
  get writes(): number {
    return this.#writes;
  }

  /** Adds a node before the relay is started. Only the relay keeps it: its memory is measured. */
  addNode(name: string, gpus: number): void {
    this.#nodes.push(() => nodeObject(name, gpus));
  }

  /** Adds a pod that runs on a node, likewise. */
  addRunning(name: string, node: string): void {
    this.#running.push(() => podObject({ name, node }));
  }

  /** Creates a pod. */
  create(options: Parameters<typeof podObject>[0]): void {
    this.#store(podObject(options), "ADDED");
  }

  /** Writes that no node takes a pod, as the scheduler does. */
  setUnschedulable(pod: Pod, message: string): void {
    const condition = { type: "PodScheduled", status: "False", reason: "Unschedulable", message };
    this.#store({ ...pod, status: { ...pod.status, conditions: [condition] } } as Pod);
  }

  /** `fetch` of the relay. */
  readonly fetch = async (input: string | URL | Request, init?: RequestInit): Promise<Response> => {
    const { pathname, searchParams } = new URL(String(input));
    const method = init?.method ?? "GET";
    if (method !== "GET") {
      await nextTurn();
      this.#writes++;
      return this.#write(pathname, JSON.parse(String(init!.body)));
    }
    if (searchParams.has("watch")) return this.#watch(pathname, init?.signal);
    return this.#read(pathname, searchParams);
  };

  #read(path: string, query: URLSearchParams): Response {
    if (path === "/apis") return json({ groups: [] });
    if (path === podsPath) return this.#page([...this.#running, ...this.#created()], query);
    if (path === "/api/v1/nodes") return this.#page(this.#nodes, query);
    return json({ metadata: { name: "kube-system", uid: "bench" } });
  }

  #created(): (() => object)[] {
    return [...this.pods.values()].map((pod) => () => pod);
  }

  #page(all: readonly (() => object)[], query: URLSearchParams): Response {
    const from = Number(query.get("continue") ?? 0);
    const to = from + Number(query.get("limit") ?? Infinity);
    const more = to < all.length && { continue: String(to) };
    const metadata = { resourceVersion: String(this.#version), ...more };
    return json({ metadata, items: all.slice(from, to).map((object) => object()) });
  }

  #watch(path: string, signal: AbortSignal | null | undefined): Response {
    const body = new ReadableStream({
      type: "bytes",
      start: (controller) => {
        const end = () => {
          if (this.#watches.delete(controller)) controller.close();
        };
        signal?.addEventListener("abort", end);
        if (path === podsPath) this.#watches.add(controller);
      },
    });
    return new Response(body);
  }

  #write(path: string, body: Partial<Pod> & { target?: { name: string } }): Response {
    const [, , , , namespace, kind, name, part] = path.split("/");
    const pod = kind === "pods" ? this.pods.get(`${namespace}/${name}`) : undefined;
    if (!pod) return json({});
    const { metadata, spec, status } = pod;
    const annotations = { ...metadata.annotations, ...body.metadata?.annotations };
    this.#store({
      ...pod,
      metadata: { ...metadata, annotations },
      spec: part === "binding" ? { ...spec, nodeName: body.target!.name } : spec,
      status: { ...status, ...body.status },
    } as Pod);
    return json({});
  }

  #store(pod: Pod, type: "ADDED" | "MODIFIED" = "MODIFIED"): void {
    const metadata = { ...pod.metadata, resourceVersion: String(++this.#version) };
    const stored = { ...pod, metadata };
    this.pods.set(`${metadata.namespace}/${metadata.name}`, stored);
    if (this.#watches.size > 0) {
      const line = encoder.encode(`${JSON.stringify({ type, object: stored })}\n`);
      // A byte stream takes the buffer away.
      for (const controller of this.#watches) controller.enqueue(line.slice());
    }
    this.#written(stored, type);
  }
}

function json(body: object): Response {
  return new Response(JSON.stringify(body), { headers: { "content-type": "application/json" } });
}
