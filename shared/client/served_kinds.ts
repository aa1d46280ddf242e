/**
 * Watches kinds that the API server may serve, also those that it learns later.
 *
 * @module
 */
import type { ObjectMeta } from "../kubernetes/types.ts";
import { Alarm } from "./alarm.ts";
import { discover, type Kind, type Served } from "./discovery.ts";
import { Outage } from "./outage.ts";
import { within } from "./pause.ts";
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

/** The watch of a kind. */
interface Followed {
  readonly path: string;
  readonly watcher: Watcher<ServedObject>;
  /** Resolves when its objects have been reported. */
  readonly listed: Promise<void>;
  /** The API server did not serve it when it was asked last. */
  isMissed: boolean;
}

/** What to watch, and who is told about errors, by `<plural>.<group>`. */
export interface ServedKindsOptions {
  readonly kinds: readonly ServedKind[];
  readonly reports: (kind: string) => WatchReports;
}

/** The API server is asked this often what it serves. */
const discoverMs = 5000;

/** A kind that can not be listed is waited for so long: only the gangs that need it wait longer. */
const listedWithinMs = 30_000;

/** The watches of all served kinds. */
export class ServedKinds {
  readonly #client: WatchClient;
  readonly #options: ServedKindsOptions;
  readonly #followed = new Map<ServedKind, Followed>();
  readonly #again = new Alarm(() => void this.#discover());
  readonly #outage = new Outage();
  #isStopped = false;

  constructor(client: WatchClient, options: ServedKindsOptions) {
    this.#client = client;
    this.#options = options;
  }

  /** Resolves when the objects of every kind served now have been reported, but for optional ones and those that can not be listed. */
  async start(): Promise<void> {
    await this.#discover();
    const needed = [...this.#followed].filter(([kind]) => !kind.isOptional);
    await within(listedWithinMs, Promise.all(needed.map(([, { listed }]) => listed)));
  }

  /** Ends all watches. */
  stop(): void {
    this.#isStopped = true;
    this.#again.stop();
    for (const { watcher } of this.#followed.values()) watcher.stop();
  }

  async #discover(): Promise<void> {
    try {
      const servedOf = await discover(this.#client.api);
      for (const kind of this.#options.kinds) this.#follow(kind, await servedOf(kind));
      this.#outage.over();
    } catch (error) {
      this.#options.reports("discovery").failed(error as Error, this.#outage.noted());
    }
    if (!this.#isStopped) this.#again.set(Date.now() + discoverMs);
  }

  #follow(kind: ServedKind, served: Served | undefined): void {
    const current = this.#followed.get(kind);
    if (this.#isStopped || current?.path === served?.path) {
      if (current) current.isMissed = false;
      return;
    }
    // An API server that starts does not know all kinds at once: one that is gone is missing twice.
    if (current && !served && !current.isMissed) {
      current.isMissed = true;
      return;
    }
    current?.watcher.forget();
    this.#followed.delete(kind);
    if (!served) return;
    const { apiVersion, path } = served;
    const name = `${kind.plural}.${kind.group}`;
    const watcher = new Watcher<ServedObject>(path, this.#client, {
      changed: (object) => kind.changed({ ...object, apiVersion }),
      deleted: (object) => kind.deleted(object),
      ...this.#options.reports(name),
    });
    this.#followed.set(kind, { path, watcher, listed: watcher.start(), isMissed: false });
  }
}
