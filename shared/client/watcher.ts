/**
 * Keeps up with all objects of one kind: list, watch, and again after whatever goes wrong.
 *
 * @module
 */
import type { ObjectMeta } from "../kubernetes/types.ts";
import { type KubeApi, KubeError } from "./kube_api.ts";
import { type KubeWatch, openWatch, type WatchEvent } from "./kube_watch.ts";
import { Outage } from "./outage.ts";
import { mayPass } from "./retry_after.ts";

/** Told how a watch fares. */
export interface WatchReports {
  /** `isSaid`: it is time to say so; what goes on is said more and more seldom. */
  readonly failed: (error: Error, isSaid: boolean) => void;
  /** Everything was listed again. */
  readonly relisted: (gap: WatchGap) => void;
}

/** Told what happened to an object. */
export interface Handlers<T> extends WatchReports {
  readonly changed: (object: T) => void;
  readonly deleted: (object: T) => void;
}

/** What a list showed that the watch before it had not. */
export interface WatchGap {
  readonly missedChanges: number;
  /** Time since the watch was known to have ended, in ms; undefined where it had not. */
  readonly blindMs: number | undefined;
}

/** No watch is trusted for longer: after this time everything is listed again. */
const relistMs = 10 * 60_000;
/** After a failure, and after a watch that ended at once and told nothing, the API server is left alone for so long. */
const restartMs = 500;
/** And at most for so long where it does not get better; in ms: who is refused stays so until somebody changes that. */
const longestMs = { refused: 30_000, away: 5000 };

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
  readonly #known = new Map<string, T>();
  #isStopped = false;
  #wake: (() => void) | undefined;
  #isKnown = false;
  #resourceVersion = "";
  #watch: KubeWatch | undefined;
  #blindSince: number | undefined;
  /** Until a watch has told something or ended well: a list alone is not enough to go on. */
  readonly #outage = new Outage();
  /** By which status the outage refuses; undefined: by none. */
  #refusedBy: number | undefined;

  constructor(path: string, client: WatchClient, handlers: Handlers<T>) {
    this.#path = path;
    this.#client = client;
    this.#handlers = handlers;
  }

  /** Resolves when everything that exists has been reported; keeps trying until then. */
  async start(): Promise<void> {
    const listed = Promise.withResolvers<void>();
    await Promise.race([listed.promise, this.#keepUp(listed.resolve)]);
  }

  /** Ends the watch of a kind that is not served any more: its objects are gone. */
  forget(): void {
    this.stop();
    for (const object of this.#known.values()) this.#deleted(object);
  }

  /** Ends the watch. */
  stop(): void {
    this.#isStopped = true;
    this.#wake?.();
    this.#watch?.end();
  }

  async #keepUp(listed: () => void): Promise<void> {
    while (!this.#isStopped) {
      try {
        await this.#list();
        listed();
        await this.#follow();
      } catch (error) {
        await this.#rest(this.#isStopped ? 0 : this.#failed(error as Error));
      }
    }
  }

  /**
   * One watch after another, each from where the last one was, until it is time to list again. An API server under load ends
   * watches that it can not serve in time: until the next one is open the relay is blind.
   */
  async #follow(): Promise<void> {
    const relistAt = Date.now() + relistMs;
    while (!this.#isStopped && Date.now() < relistAt) {
      const startedAt = Date.now();
      const from = this.#resourceVersion;
      const watch = openWatch<T>(this.#client.watchApi, {
        path: this.#path,
        resourceVersion: from,
        heard: (event) => this.#heard(event),
      });
      this.#watch = watch;
      const timer = setTimeout(() => watch.end(), relistAt - startedAt);
      await watch.ended.finally(() => clearTimeout(timer));
      this.#outage.over();
      if (this.#resourceVersion === from) await this.#rest(startedAt + restartMs - Date.now());
    }
  }

  async #rest(ms: number): Promise<void> {
    if (ms <= 0 || this.#isStopped) return;
    const rested = Promise.withResolvers<void>();
    this.#wake = rested.resolve;
    const timer = setTimeout(rested.resolve, ms);
    await rested.promise;
    clearTimeout(timer);
  }

  /** For how long the API server is to be left alone, in ms. */
  #failed(error: Error): number {
    const { code, retryAfterMs = 0 } = error instanceof KubeError ? error : {};
    // A version that is too old is no failure: a list tells what came since.
    if (code === 410) return restartMs;
    this.#blindSince ??= Date.now();
    const refusedBy = code === undefined || mayPass(code) ? undefined : code;
    // An API server that is back may refuse everybody for a moment.
    if (refusedBy !== this.#refusedBy) this.#outage.over();
    this.#refusedBy = refusedBy;
    this.#handlers.failed(error, this.#outage.noted());
    const most = refusedBy === undefined ? longestMs.away : longestMs.refused;
    return Math.max(this.#outage.pauseMs({ least: restartMs, most }), retryAfterMs);
  }

  /** A list is the truth: what it lacks is gone, also where its deletion was never seen. */
  async #list(): Promise<void> {
    const { metadata, items } = await this.#client.api.list<T>(this.#path);
    if (this.#isStopped) return;
    this.#resourceVersion = metadata.resourceVersion;
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

  #heard({ type, object }: WatchEvent<T>): void {
    this.#outage.over();
    if (type === "DELETED") this.#deleted(object);
    else if (type !== "BOOKMARK") this.#changed(object);
    this.#resourceVersion = object.metadata.resourceVersion ?? this.#resourceVersion;
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
