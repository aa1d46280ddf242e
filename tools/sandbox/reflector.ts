import { ApiError } from "./api_error.ts";
import { callApi } from "./api_client.ts";
import { type KubeObject, objectKey } from "./objects.ts";

/** Told about every change of the mirrored objects; `before` is absent for a new one, `now` for one that is gone. */
export type OnChange<T> = (change: { now?: T; before?: T }) => void;

/** A wait before the next attempt when the API server does not answer, in milliseconds. */
const RETRY = 100;

/** A local copy of a list of objects, kept up to date by list and watch over HTTP until the signal aborts. */
export class Reflector<T extends KubeObject> {
  #url: string;
  #signal: AbortSignal;
  #onChange: OnChange<T>;
  #objects = new Map<string, T>();

  /** `url` is that of the list, such as `http://127.0.0.1:8001/api/v1/pods`. */
  constructor(url: string, options: { signal: AbortSignal; onChange: OnChange<T> }) {
    this.#url = url;
    this.#signal = options.signal;
    this.#onChange = options.onChange;
  }

  /** One object by `namespace/name`. */
  get(key: string): T | undefined {
    return this.#objects.get(key);
  }

  /** All objects. */
  values(): Iterable<T> {
    return this.#objects.values();
  }

  /** Lists once, then follows the changes in the background: `done` resolves after the signal aborted. */
  async start(): Promise<{ done: Promise<void> }> {
    const version = await this.#list();
    return { done: this.#follow(version) };
  }

  async #follow(start: string): Promise<void> {
    let version: string | undefined = start;
    while (!this.#signal.aborted) {
      try {
        version ??= await this.#list();
        version = await this.#watch(version);
      } catch (error) {
        if (this.#signal.aborted) return;
        if (error instanceof ApiError && error.code === 410) version = undefined;
        else await new Promise((resolve) => setTimeout(resolve, RETRY));
      }
    }
  }

  async #list(): Promise<string> {
    const list = await callApi(this.#url, { signal: this.#signal }) as {
      metadata: { resourceVersion: string };
      items: T[];
    };
    const keys = new Set(list.items.map(objectKey));
    for (const [key, object] of this.#objects) if (!keys.has(key)) this.#remove(object);
    for (const object of list.items) this.#put(object);
    return list.metadata.resourceVersion;
  }

  /** Follows one watch to its end; returns the version to go on from. */
  async #watch(start: string): Promise<string> {
    let version = start;
    const query = `watch=true&allowWatchBookmarks=true&resourceVersion=${start}`;
    const response = await fetch(`${this.#url}?${query}`, { signal: this.#signal });
    if (!response.ok) throw await ApiError.from(response);
    const reader = response.body!.pipeThrough(new TextDecoderStream()).getReader();
    // fetch got the signal too, but may have forgotten it in the many minutes that a watch goes on.
    this.#signal.addEventListener("abort", () => reader.cancel().catch(() => {}), { once: true });
    let rest = "";
    try {
      for (let part; !(part = await reader.read()).done;) {
        const parts = (rest + part.value).split("\n");
        rest = parts.pop() ?? "";
        for (const line of parts) version = this.#apply(JSON.parse(line));
      }
    } catch (error) {
      // A connection that broke is resumed from where it was; only a 410 needs a new list.
      if (this.#signal.aborted || error instanceof ApiError) throw error;
    }
    return version;
  }

  #apply({ type, object }: { type: string; object: T }): string {
    if (type === "ERROR") {
      const { code, message } = object as unknown as { code: number; message: string };
      throw new ApiError(code, message);
    }
    if (type === "DELETED") this.#remove(object);
    else if (type !== "BOOKMARK") this.#put(object);
    return object.metadata.resourceVersion;
  }

  #put(object: T): void {
    const before = this.#objects.get(objectKey(object));
    if (before !== undefined && before.metadata.uid !== object.metadata.uid) this.#remove(before);
    else if (before?.metadata.resourceVersion === object.metadata.resourceVersion) return;
    const known = this.#objects.get(objectKey(object));
    this.#objects.set(objectKey(object), object);
    this.#onChange(known === undefined ? { now: object } : { now: object, before: known });
  }

  #remove(object: T): void {
    const before = this.#objects.get(objectKey(object));
    if (before === undefined) return;
    this.#objects.delete(objectKey(object));
    this.#onChange({ before });
  }
}
