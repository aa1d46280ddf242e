import type { KubeObject } from "./objects.ts";
import { objectKey } from "./objects.ts";

/** One change of the store, in the order of `version`. */
export interface Change {
  version: number;
  storage: string;
  type: "ADDED" | "MODIFIED" | "DELETED";
  object: KubeObject;
  /** The object before the change; a selector needs it to see objects leave and enter. */
  previous?: KubeObject;
}

/** How many changes a late watch can still catch up on. */
const HISTORY = 20_000;

/** Objects by resource and key with one version counter for all, as etcd has it. Objects are never changed in place. */
export class ObjectStore {
  #objects = new Map<string, Map<string, KubeObject>>();
  #history: Change[] = [];
  #listeners = new Set<(change: Change) => void>();
  #version = 1;
  /** Changes up to this version are forgotten. */
  #compacted = 0;

  /** The version of the last change. */
  get version(): number {
    return this.#version;
  }

  /** All objects of one storage by key, the oldest first. */
  all(storage: string): ReadonlyMap<string, KubeObject> {
    return this.#objects.get(storage) ?? new Map();
  }

  /** All objects of one storage, in the order of their keys. */
  list(storage: string): KubeObject[] {
    const objects = [...this.all(storage)];
    return objects.sort(([a], [b]) => a < b ? -1 : 1).map(([, object]) => object);
  }

  /** One object by `namespace/name`. */
  get(storage: string, key: string): KubeObject | undefined {
    return this.#objects.get(storage)?.get(key);
  }

  /** Stores an object under the next version and returns it as stored. */
  put(storage: string, object: KubeObject): KubeObject {
    const previous = this.get(storage, objectKey(object));
    const stored = this.#stamp(object);
    let objects = this.#objects.get(storage);
    if (objects === undefined) this.#objects.set(storage, objects = new Map());
    objects.set(objectKey(stored), stored);
    this.#publish(
      previous === undefined
        ? { version: this.#version, storage, type: "ADDED", object: stored }
        : { version: this.#version, storage, type: "MODIFIED", object: stored, previous },
    );
    return stored;
  }

  /** Removes an object; its last form carries the version of the removal. */
  remove(storage: string, object: KubeObject): void {
    if (!this.#objects.get(storage)?.delete(objectKey(object))) return;
    const stored = this.#stamp(object);
    const version = this.#version;
    this.#publish({ version, storage, type: "DELETED", object: stored, previous: object });
  }

  /** Calls the listener after every change; the answer ends that. */
  subscribe(listener: (change: Change) => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  /** The changes after a version, or undefined when some of them are forgotten (410). */
  since(version: number): Change[] | undefined {
    if (version < this.#compacted) return undefined;
    return this.#history.filter((change) => change.version > version);
  }

  /** Forgets all changes so far, as etcd's compaction does. */
  compact(): void {
    this.#history = [];
    this.#compacted = this.#version;
  }

  #stamp(object: KubeObject): KubeObject {
    const resourceVersion = String(++this.#version);
    return { ...object, metadata: { ...object.metadata, resourceVersion } };
  }

  #publish(change: Change): void {
    this.#history.push(change);
    if (this.#history.length > HISTORY) {
      this.#compacted = this.#history.shift()?.version ?? this.#compacted;
    }
    for (const listener of [...this.#listeners]) listener(change);
  }
}
