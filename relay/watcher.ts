/**
 * Keeps up with all objects of one kind: list, watch, and again after whatever goes wrong.
 *
 * @module
 */
import { type KubernetesObject, ListWatch, type Watch } from "@kubernetes/client-node";
import type { ObjectMeta } from "../shared/kubernetes/types.ts";
import type { KubeApi } from "./kube_api.ts";
import { KubeWatch } from "./kube_watch.ts";

/** Told what happened to an object. */
export interface Handlers<T> {
  readonly changed: (object: T) => void;
  readonly deleted: (object: T) => void;
  readonly failed: (error: Error) => void;
  /** Everything was listed again. */
  readonly relisted: (gap: WatchGap) => void;
}

/** What a list showed that the watch before it had not. */
export interface WatchGap {
  readonly missedChanges: number;
  /** Time since the watch was known to have ended, in ms; undefined where it had not. */
  readonly blindMs: number | undefined;
}

/** No watch is trusted for longer: after this time everything is listed again. */
const relistMs = 10 * 60_000;
const restartMs = 500;

/** How a watcher reaches the API server. */
export interface WatchClient {
  readonly api: KubeApi;
  /** Each call has a connection of its own, which ends with the call. */
  readonly watchApi: KubeApi;
}

/** Watches one kind, for example `/api/v1/pods`. */
export class Watcher<T extends { readonly metadata: ObjectMeta }> {
  readonly #path: string;
  readonly #client: WatchClient;
  readonly #handlers: Handlers<T>;
  #informer: ListWatch<KubernetesObject> | undefined;
  #known = new Map<string, T>();
  #timer: ReturnType<typeof setTimeout> | undefined;
  #stopped = false;
  #isKnown = false;
  #blindSince: number | undefined;

  constructor(path: string, client: WatchClient, handlers: Handlers<T>) {
    this.#path = path;
    this.#client = client;
    this.#handlers = handlers;
  }

  /** Resolves when everything that exists has been reported; keeps trying until then. */
  async start(): Promise<void> {
    while (!this.#stopped) {
      try {
        await this.#run();
        return;
      } catch (error) {
        this.#failed(error as Error);
        await new Promise((resolve) => this.#timer = setTimeout(resolve, restartMs));
      }
    }
  }

  /** Ends the watch. */
  stop(): void {
    this.#stopped = true;
    clearTimeout(this.#timer);
    this.#informer?.stop();
  }

  async #run(): Promise<void> {
    this.#informer?.stop();
    const listed = Promise.withResolvers<void>();
    let isListed = false;
    const informer = new ListWatch<KubernetesObject>(
      this.#path,
      new KubeWatch(this.#client.watchApi) as unknown as Watch,
      async () => {
        const list = await this.#client.api.list<T>(this.#path);
        this.#reconcile(list.items);
        isListed = true;
        listed.resolve();
        return { ...list, items: list.items as unknown as KubernetesObject[] } as never;
      },
      false,
    );
    this.#informer = informer;
    const seen = (object: KubernetesObject) => this.#changed(object as unknown as T);
    informer.on("add", seen);
    informer.on("update", seen);
    informer.on("delete", (object) => this.#deleted(object as unknown as T));
    informer.on("error", (error) => {
      if (!isListed) listed.reject(error);
      else if (this.#informer === informer) this.#restart(error);
    });
    informer.start().catch(listed.reject);
    await listed.promise;
    this.#schedule(relistMs);
  }

  #restart(error: Error): void {
    if (this.#stopped) return;
    this.#failed(error);
    this.#schedule(restartMs);
  }

  #failed(error: Error): void {
    this.#blindSince ??= Date.now();
    this.#handlers.failed(error);
  }

  #schedule(ms: number): void {
    clearTimeout(this.#timer);
    if (!this.#stopped) this.#timer = setTimeout(() => void this.start(), ms);
  }

  /** A list is the truth: what it lacks is gone, also where its deletion was never seen. */
  #reconcile(items: readonly T[]): void {
    const uids = new Set(items.map((item) => item.metadata.uid));
    let missedChanges = 0;
    for (const [uid, object] of this.#known) {
      if (uids.has(uid)) continue;
      missedChanges++;
      this.#deleted(object);
    }
    for (const item of items) if (this.#changed(item)) missedChanges++;
    const blindMs = this.#blindSince && Date.now() - this.#blindSince;
    if (this.#isKnown) this.#handlers.relisted({ missedChanges, blindMs });
    this.#isKnown = true;
    this.#blindSince = undefined;
  }

  /** True: it was not known. */
  #changed(object: T): boolean {
    const { uid, resourceVersion } = object.metadata;
    if (this.#known.get(uid)?.metadata.resourceVersion === resourceVersion) return false;
    this.#known.set(uid, object);
    this.#handlers.changed(object);
    return true;
  }

  #deleted(object: T): void {
    if (this.#known.delete(object.metadata.uid)) this.#handlers.deleted(object);
  }
}
