/**
 * Immutable maps whose changed copies share what did not change: one of 1,000 members that changes costs what a shard
 * holds, not all 1,000.
 *
 * @module
 */

const shards = 64;

/** A map by uid; every change gives another map. */
export class SharedMap<V> implements Iterable<[string, V]> {
  readonly #shards: readonly (ReadonlyMap<string, V> | undefined)[];
  readonly size: number;

  private constructor(parts: readonly (ReadonlyMap<string, V> | undefined)[], size: number) {
    this.#shards = parts;
    this.size = size;
  }

  static readonly #none = new SharedMap<never>(new Array(shards).fill(undefined), 0);

  /** The one without entries. */
  static empty<V>(): SharedMap<V> {
    return SharedMap.#none;
  }

  get(key: string): V | undefined {
    return this.#shards[shardOf(key)]?.get(key);
  }

  has(key: string): boolean {
    return this.#shards[shardOf(key)]?.has(key) ?? false;
  }

  /** With this value under the key. */
  with(key: string, value: V): SharedMap<V> {
    const changed = new Map(this.#shards[shardOf(key)]).set(key, value);
    return this.#replaced(key, changed, this.has(key) ? this.size : this.size + 1);
  }

  /** Without the key. */
  without(key: string): SharedMap<V> {
    if (!this.has(key)) return this;
    const changed = new Map(this.#shards[shardOf(key)]);
    changed.delete(key);
    return this.#replaced(key, changed, this.size - 1);
  }

  [Symbol.iterator](): IterableIterator<[string, V]> {
    return this.#all((shard) => shard).values();
  }

  keys(): IterableIterator<string> {
    return this.#all((shard) => shard.keys()).values();
  }

  values(): IterableIterator<V> {
    return this.#all((shard) => shard.values()).values();
  }

  /** Most maps are empty or small, and are gone through at each look. */
  #all<T>(itemsOf: (shard: ReadonlyMap<string, V>) => Iterable<T>): T[] {
    const all: T[] = [];
    if (this.size === 0) return all;
    for (const shard of this.#shards) {
      if (shard) { for (const item of itemsOf(shard)) all.push(item); }
    }
    return all;
  }

  #replaced(key: string, shard: ReadonlyMap<string, V>, size: number): SharedMap<V> {
    if (size === 0) return SharedMap.empty();
    const parts = this.#shards.slice();
    parts[shardOf(key)] = shard;
    return new SharedMap(parts, size);
  }
}

function shardOf(key: string): number {
  let hash = 0;
  for (let at = 0; at < key.length; at++) hash = (hash * 31 + key.charCodeAt(at)) | 0;
  return hash & (shards - 1);
}
