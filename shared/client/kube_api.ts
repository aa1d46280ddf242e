/**
 * The API server.
 *
 * @module
 */
import pLimit from "p-limit";
import { AbortError } from "p-retry";
import { apiPath } from "../kubernetes/api_path.ts";
import type { ObjectMeta, Pod } from "../kubernetes/types.ts";
import { dropUnread } from "../kubernetes/unread.ts";
import type { Write } from "../kubernetes/writes.ts";
import type { Connection } from "./connection.ts";
import type { Fetch } from "./fetch.ts";
import { retryAfterMs } from "./retry_after.ts";
import { textWithin } from "./text_within.ts";

/** A list of objects. */
export interface KubeList<T> {
  readonly metadata: { readonly resourceVersion: string; readonly continue?: string };
  readonly items: T[];
}

/** An answer of the API server that is not a success. */
export class KubeError extends Error {
  override name = "KubeError";
  /** HTTP status. */
  readonly code: number;
  /** The API server has too much to do: for so long, in ms, it is not asked the same again. */
  readonly retryAfterMs: number;

  constructor(code: number, { message, headers }: { message: string; headers?: Headers }) {
    super(message);
    this.code = code;
    this.retryAfterMs = headers && retryAfterMs(headers) || 0;
  }
}

/** Whether a write was refused because its object is gone, or is not the one that was seen any more. */
export function isOutdated(error: unknown): boolean {
  return error instanceof KubeError && (error.code === 404 || error.code === 409);
}

/** Credentials are read again after this time, because tokens rotate. */
const credentialsForMs = 30_000;

const json = "application/json";
/** An API server answers the less the sooner. */
const metadataOnly =
  "application/json;as=PartialObjectMetadata;g=meta.k8s.io;v=v1,application/json";

/** Objects of a page, as kubectl asks for them; fewer where they take more bytes than this, as an object may take 1.5 MB. */
const largestPage = { objects: 500, bytes: 16 * 2 ** 20 };

/** To begin a thousand requests in one turn would block the event loop for 200 ms. */
const atOnce = 64;

interface Options {
  readonly body?: unknown;
  readonly type?: string;
  readonly accept?: string;
  readonly signal?: AbortSignal;
  /** What has not begun by then is not begun any more, in ms since the epoch. */
  readonly by?: number | undefined;
}

/** JSON over one kept connection: the client library opens a connection per request under Deno. */
export class KubeApi {
  readonly #credentialsNow: Connection["credentials"];
  readonly #fetch: Fetch;
  readonly #server: string;
  #headers: Record<string, string> = {};
  #headersUntil = 0;
  readonly #limited = pLimit(atOnce);

  constructor({ server, credentials }: Pick<Connection, "server" | "credentials">, fetch: Fetch) {
    this.#credentialsNow = credentials;
    this.#fetch = fetch;
    this.#server = server.replace(/\/$/, "");
  }

  /** Reads what is at a path, for example `/apis`. */
  async read<T>(path: string): Promise<T> {
    return JSON.parse(await this.#call("GET", path));
  }

  /** Writes, and gives what was written. */
  async change<T>({ method, path, ...options }: Write): Promise<T> {
    return JSON.parse(await this.#call(method, path, options));
  }

  /** Writes; what there is afterwards the watch tells. */
  async write({ method, path, ...options }: Write, by?: number): Promise<void> {
    await this.#call(method, path, { ...options, accept: metadataOnly, by });
  }

  /** Lists every object of a kind, for example `/api/v1/pods`, in pages: without what nobody reads a whole list is small. */
  async list<T>(path: string): Promise<KubeList<T>> {
    const items: T[] = [];
    let limit = largestPage.objects;
    for (let after = "";;) {
      const query = new URLSearchParams({ limit: `${limit}`, ...(after && { continue: after }) });
      const most = limit > 1 ? largestPage.bytes : Infinity;
      const text = await this.#limited(async () =>
        await textWithin(await this.#send("GET", `${path}?${query}`), most)
      );
      if (text === undefined) {
        limit = Math.floor(limit / 2);
        continue;
      }
      if (text.length < most / 4) limit = Math.min(2 * limit, largestPage.objects);
      const page: KubeList<T> = JSON.parse(text);
      for (const item of page.items) dropUnread(item as object);
      items.push(...page.items);
      after = page.metadata.continue ?? "";
      if (!after) return { metadata: page.metadata, items };
    }
  }

  /** Begins to read an answer that goes on, as that of a watch. */
  async open(path: string, signal: AbortSignal): Promise<ReadableStream<Uint8Array<ArrayBuffer>>> {
    return (await this.#send("GET", path, { signal })).body!;
  }

  /** A pod, or undefined where there is none. */
  pod(namespace: string, name: string): Promise<Pod | undefined> {
    return this.#find(apiPath`/api/v1/namespaces/${namespace}/pods/${name}`);
  }

  /** The metadata of a namespace. */
  async namespace(name: string): Promise<ObjectMeta> {
    return (await this.read<{ metadata: ObjectMeta }>(apiPath`/api/v1/namespaces/${name}`))
      .metadata;
  }

  /** Who holds a lease; undefined where nobody does. */
  async leaseHolder(
    { namespace, name }: { namespace: string; name: string },
  ): Promise<string | undefined> {
    const path = apiPath`/apis/coordination.k8s.io/v1/namespaces/${namespace}/leases/${name}`;
    return (await this.#find<{ spec?: { holderIdentity?: string } }>(path))?.spec?.holderIdentity;
  }

  /** Undefined where there is none. */
  async #find<T>(path: string): Promise<T | undefined> {
    try {
      return await this.read(path);
    } catch (error) {
      if (error instanceof KubeError && error.code === 404) return undefined;
      throw error;
    }
  }

  /** The text of the answer. */
  async #call(
    method: string,
    path: string,
    { by = Infinity, ...options }: Options = {},
  ): Promise<string> {
    return await this.#limited(async () => {
      if (Date.now() > by) throw new AbortError("It could not be written in time");
      return await (await this.#send(method, path, options)).text();
    });
  }

  async #send(
    method: string,
    path: string,
    { body, type = json, accept = json, signal }: Options = {},
  ): Promise<Response> {
    const response = await this.#fetch(this.#server + path, {
      method,
      headers: { ...await this.#credentials(), accept, "content-type": type },
      ...(body !== undefined && { body: JSON.stringify(body) }),
      ...(signal && { signal }),
    });
    if (response.ok) return response;
    const text = await response.text();
    const { status, headers } = response;
    throw new KubeError(status, { message: messageOf(text) ?? `HTTP ${status}`, headers });
  }

  async #credentials(): Promise<Record<string, string>> {
    if (Date.now() > this.#headersUntil) {
      this.#headers = await this.#credentialsNow();
      this.#headersUntil = Date.now() + credentialsForMs;
    }
    return this.#headers;
  }
}

function messageOf(text: string): string | undefined {
  try {
    return JSON.parse(text).message;
  } catch {
    return undefined;
  }
}
