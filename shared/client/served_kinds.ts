/**
 * Watches kinds that the API server may serve, also those that it learns later.
 *
 * @module
 */
import type { ObjectMeta } from "../kubernetes/types.ts";
import { Alarm } from "./alarm.ts";
import { discover, type Kind, type Served } from "./discovery.ts";
import { type WatchClient, Watcher, type WatchReports } from "./watcher.ts";

/** An object of any kind, with the version in which it was read. */
export interface ServedObject {
  readonly apiVersion: string;
  readonly metadata: ObjectMeta;
}

/** A kind, and who is told of its objects. */
export interface ServedKind<T extends ServedObject = ServedObject> extends Kind {
  changed(object: T): void;
  deleted(object: T): void;
  /** Nothing waits for it: what is known without it is not wrong. */
  readonly isOptional?: boolean;
}

/** What to watch, and who is told about errors, by `<plural>.<group>`. */
export interface ServedKindsOptions {
  readonly kinds: readonly ServedKind[];
  readonly reports: (kind: string) => WatchReports;
}

/** The API server is asked this often what it serves. */
const discoverMs = 5000;

/** The watches of all served kinds. */
export class ServedKinds {
  readonly #client: WatchClient;
  readonly #options: ServedKindsOptions;
  readonly #watchers = new Map<
    ServedKind,
    { path: string; watcher: Watcher<ServedObject> }
  >();
  readonly #again = new Alarm(() => void this.start());
  #isStopped = false;

  constructor(client: WatchClient, options: ServedKindsOptions) {
    this.#client = client;
    this.#options = options;
  }

  /** Resolves when the objects of every kind served now have been reported, but for optional ones. */
  async start(): Promise<void> {
    try {
      const servedOf = await discover(this.#client.api);
      for (const kind of this.#options.kinds) await this.#follow(kind, await servedOf(kind));
    } catch (error) {
      this.#options.reports("discovery").failed(error as Error);
    }
    if (!this.#isStopped) this.#again.set(Date.now() + discoverMs);
  }

  /** Ends all watches. */
  stop(): void {
    this.#isStopped = true;
    this.#again.stop();
    for (const { watcher } of this.#watchers.values()) watcher.stop();
  }

  async #follow(kind: ServedKind, served: Served | undefined): Promise<void> {
    const current = this.#watchers.get(kind);
    if (this.#isStopped || current?.path === served?.path) return;
    current?.watcher.forget();
    this.#watchers.delete(kind);
    if (!served) return;
    const { apiVersion, path } = served;
    const name = `${kind.plural}.${kind.group}`;
    const watcher = new Watcher<ServedObject>(path, this.#client, {
      changed: (object) => kind.changed({ ...object, apiVersion }),
      deleted: (object) => kind.deleted(object),
      ...this.#options.reports(name),
    });
    this.#watchers.set(kind, { path, watcher });
    const started = watcher.start();
    if (!kind.isOptional) await started;
  }
}
