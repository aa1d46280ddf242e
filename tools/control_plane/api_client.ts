import { sleep } from "../sleep.ts";
/** An answer of the API server other than 2xx. */
export class ApiError extends Error {
  override name = "ApiError";

  constructor(readonly status: number, readonly reason: string, message: string) {
    super(message);
  }
}

/** How often a request is sent that the API server asks to send again, as while its caches fill; client-go's number. */
const mostAttempts = 10;

/** The parts of a Kubernetes object that every kind has. */
export interface KubernetesObject {
  apiVersion?: string;
  kind?: string;
  metadata: {
    name: string;
    namespace?: string;
    uid?: string;
    resourceVersion?: string;
    labels?: Record<string, string>;
    annotations?: Record<string, string>;
    creationTimestamp?: string;
    deletionTimestamp?: string;
  };
  // deno-lint-ignore no-explicit-any -- tests and tools read any field of any kind
  [field: string]: any;
}

/** How a patch is meant; the values are the middle part of its media type. */
export type PatchType = "merge" | "strategic-merge" | "apply";

interface WatchEvent {
  type: "ADDED" | "MODIFIED" | "DELETED" | "BOOKMARK" | "ERROR";
  object: KubernetesObject;
}

/** How an identity reaches the API server; `ca` is the PEM of the CA that signed its certificate. */
export interface Connection {
  server: string;
  ca: string;
  token: string;
}

/** A small JSON client of the API server for one identity. Paths are those of the REST API, such as `/api/v1/nodes`. */
export class ApiClient implements Disposable {
  readonly #server: string;
  readonly #token: string;
  readonly #http: Deno.HttpClient;

  constructor(options: Connection) {
    this.#server = options.server;
    this.#token = options.token;
    this.#http = Deno.createHttpClient({ caCerts: [options.ca] });
  }

  /** @throws {ApiError} as do all the methods. */
  get(path: string): Promise<KubernetesObject> {
    return this.#json("GET", path);
  }

  async list(path: string): Promise<KubernetesObject[]> {
    return (await this.#json("GET", path)).items;
  }

  create(path: string, object: object): Promise<KubernetesObject> {
    return this.#json("POST", path, { body: object });
  }

  /** `apply` creates what is missing. */
  patch(
    path: string,
    object: object,
    options: { type?: PatchType } = {},
  ): Promise<KubernetesObject> {
    const type = options.type ?? "merge";
    const query = type === "apply" ? `${separator(path)}fieldManager=muster-tools&force=true` : "";
    return this.#json("PATCH", path + query, {
      body: object,
      contentType: `application/${type}-patch+${type === "apply" ? "yaml" : "json"}`,
    });
  }

  delete(path: string): Promise<KubernetesObject> {
    return this.#json("DELETE", path);
  }

  /** The text of a path that does not answer JSON, such as `/readyz`. */
  async text(path: string): Promise<string> {
    const response = await this.#request("GET", path);
    return await response.text();
  }

  /**
   * Watches a collection until `done` is true of the objects in it, and returns them. Label and field selectors are part
   * of the path. The error after `timeoutMs` (default 90 s) tells what the collection held last.
   */
  async watchUntil(
    path: string,
    done: (objects: KubernetesObject[]) => boolean,
    options: { timeoutMs?: number } = {},
  ): Promise<KubernetesObject[]> {
    const timeoutMs = options.timeoutMs ?? 90_000;
    const signal = AbortSignal.timeout(timeoutMs);
    const objects = new Map<string, KubernetesObject>();
    try {
      while (true) {
        const list = await this.#json("GET", path, { signal });
        objects.clear();
        for (const object of list.items as KubernetesObject[]) objects.set(key(object), object);
        if (done([...objects.values()])) return [...objects.values()];
        const version = list.metadata.resourceVersion ?? "";
        for await (const event of this.#watch(path, { version, signal })) {
          // A watch that the server gave up is started again from a new list.
          if (event.type === "ERROR") break;
          if (event.type === "DELETED") objects.delete(key(event.object));
          else objects.set(key(event.object), event.object);
          if (done([...objects.values()])) return [...objects.values()];
        }
      }
    } catch (error) {
      if (!signal.aborted) throw error;
      throw new Error(
        `Waited ${timeoutMs} ms in vain for "${path}"; its objects at the end: ${
          JSON.stringify([...objects.values()].map(withoutNoise))
        }`,
        { cause: error },
      );
    }
  }

  [Symbol.dispose](): void {
    this.#http.close();
  }

  async *#watch(
    path: string,
    options: { version: string; signal: AbortSignal },
  ): AsyncGenerator<WatchEvent> {
    const query = `${separator(path)}watch=1&resourceVersion=${options.version}`;
    const response = await this.#request("GET", path + query, { signal: options.signal });
    let rest = "";
    for await (
      const chunk of (response.body ?? new ReadableStream()).pipeThrough(new TextDecoderStream())
    ) {
      const lines = (rest + chunk).split("\n");
      rest = lines.pop() ?? "";
      for (const line of lines) if (line !== "") yield JSON.parse(line);
    }
  }

  async #json(
    method: string,
    path: string,
    options: { body?: object; contentType?: string; signal?: AbortSignal } = {},
  ): Promise<KubernetesObject> {
    return await (await this.#request(method, path, options)).json();
  }

  async #request(
    method: string,
    path: string,
    options: { body?: object; contentType?: string; signal?: AbortSignal } = {},
  ): Promise<Response> {
    for (let attempt = 1;; attempt++) {
      const response = await fetch(this.#server + path, {
        method,
        client: this.#http,
        headers: {
          authorization: `Bearer ${this.#token}`,
          accept: "application/json, */*",
          "content-type": options.contentType ?? "application/json",
        },
        body: options.body === undefined ? null : JSON.stringify(options.body),
        signal: options.signal ?? null,
      });
      if (response.ok) return response;
      const text = await response.text();
      const seconds = Number(response.headers.get("retry-after") ?? NaN);
      if (response.status === 429 && seconds >= 0 && attempt < mostAttempts) {
        await sleep(seconds * 1000);
        continue;
      }
      const status = parseStatus(text);
      throw new ApiError(
        response.status,
        status?.reason ?? "",
        `${method} ${path} answered ${response.status}: ${status?.message ?? text}`,
      );
    }
  }
}

function parseStatus(text: string): { reason?: string; message?: string } | undefined {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

function separator(path: string): string {
  return path.includes("?") ? "&" : "?";
}

function key(object: KubernetesObject): string {
  return `${object.metadata.namespace ?? ""}/${object.metadata.name}`;
}

function withoutNoise(object: KubernetesObject): unknown {
  return {
    name: object.metadata.name,
    nodeName: object["spec"]?.nodeName,
    status: object["status"],
  };
}
