/**
 * Watches the kinds of PodGroup that the API server serves, also those that it learns later.
 *
 * @module
 */
import { type PodGroup, type PodGroupKind, podGroupKinds } from "../shared/kubernetes/pod_group.ts";
import type { KubeApi } from "./kube_api.ts";
import { type WatchClient, Watcher, type WatchGap } from "./watcher.ts";

/** Told about PodGroups, and about errors. */
export interface PodGroupListener {
  readonly changed: (kind: PodGroupKind, podGroup: PodGroup) => void;
  readonly deleted: (kind: PodGroupKind, podGroup: PodGroup) => void;
  readonly failed: (group: string, error: Error) => void;
  readonly relisted: (group: string, gap: WatchGap) => void;
}

/** The API server is asked this often what it serves. */
const discoverMs = 5000;

interface ApiGroupList {
  readonly groups: readonly {
    readonly name: string;
    readonly versions: readonly { readonly version: string }[];
  }[];
}

interface ApiResourceList {
  readonly resources: readonly { readonly name: string }[];
}

/** The watches of all served kinds. */
export class PodGroups {
  readonly #client: WatchClient;
  readonly #api: KubeApi;
  readonly #listener: PodGroupListener;
  readonly #watchers = new Map<
    PodGroupKind,
    { path: string; watcher: Watcher<PodGroup>; known: Map<string, PodGroup> }
  >();
  #timer: ReturnType<typeof setTimeout> | undefined;
  #isStopped = false;

  constructor(
    client: WatchClient,
    listener: PodGroupListener,
  ) {
    this.#client = client;
    this.#api = client.api;
    this.#listener = listener;
  }

  /** Resolves when the PodGroups of every kind served now have been reported. */
  async start(): Promise<void> {
    try {
      const { groups } = await this.#api.read<ApiGroupList>("/apis");
      const served = new Map(
        groups.map(({ name, versions }) => [name, versions.map(({ version }) => version)]),
      );
      for (const kind of podGroupKinds) await this.#follow(kind, served.get(kind.group) ?? []);
    } catch (error) {
      this.#listener.failed("discovery", error as Error);
    }
    if (!this.#isStopped) this.#timer = setTimeout(() => void this.start(), discoverMs);
  }

  /** Ends all watches. */
  stop(): void {
    this.#isStopped = true;
    clearTimeout(this.#timer);
    for (const { watcher } of this.#watchers.values()) watcher.stop();
  }

  async #follow(kind: PodGroupKind, versions: readonly string[]): Promise<void> {
    const path = await this.#pathOf(kind, versions);
    const current = this.#watchers.get(kind);
    if (this.#isStopped || current?.path === path) return;
    if (current) {
      current.watcher.stop();
      this.#watchers.delete(kind);
      for (const podGroup of current.known.values()) this.#listener.deleted(kind, podGroup);
    }
    if (path === undefined) return;
    const known = new Map<string, PodGroup>();
    const watcher = new Watcher<PodGroup>(path, this.#client, {
      changed: (podGroup) => {
        known.set(podGroup.metadata.uid, podGroup);
        this.#listener.changed(kind, {
          ...podGroup,
          apiVersion: path.replace(/^\/apis\/|\/podgroups$/g, ""),
        });
      },
      deleted: (podGroup) => {
        known.delete(podGroup.metadata.uid);
        this.#listener.deleted(kind, podGroup);
      },
      failed: (error) => this.#listener.failed(kind.group, error),
      relisted: (gap) => this.#listener.relisted(kind.group, gap),
    });
    this.#watchers.set(kind, { path, watcher, known });
    await watcher.start();
  }

  /** The best version that serves PodGroups; an API group may be served without them. */
  async #pathOf(kind: PodGroupKind, versions: readonly string[]): Promise<string | undefined> {
    for (const version of kind.versions.filter((version) => versions.includes(version))) {
      const path = `/apis/${kind.group}/${version}`;
      const { resources } = await this.#api.read<ApiResourceList>(path);
      if (resources.some(({ name }) => name === "podgroups")) return `${path}/podgroups`;
    }
    return undefined;
  }
}
