/**
 * Keyed items in an order, of which a recording has what is otherwise than the last time.
 *
 * @module
 */

/** First those are taken out that are gone, then those set that are new, at the end, or others than before. */
export interface DeltaText<T> {
  readonly gone?: readonly string[];
  readonly set?: readonly (readonly [key: string, item: T])[];
}

/** Remembers what was said. */
export class DeltaWriter<V, T> {
  readonly #said = new Map<string, V>();
  readonly #isSame: (before: V, now: V) => boolean;
  readonly #text: (item: V) => T;

  constructor(isSame: (before: V, now: V) => boolean, text: (item: V) => T) {
    this.#isSame = isSame;
    this.#text = text;
  }

  /** Undefined: all is as before. What has changed its place is gone, and new. */
  write(items: Iterable<readonly [string, V]>): DeltaText<T> | undefined {
    const gone: string[] = [];
    const set: [string, V][] = [];
    const before = this.#said.entries();
    let next = before.next();
    for (const [key, item] of items) {
      while (!next.done && next.value[0] !== key) {
        gone.push(next.value[0]);
        next = before.next();
      }
      if (next.done || !this.#isSame(next.value[1], item)) set.push([key, item]);
      if (!next.done) next = before.next();
    }
    for (; !next.done; next = before.next()) gone.push(next.value[0]);
    for (const key of gone) this.#said.delete(key);
    for (const [key, item] of set) this.#said.set(key, item);
    if (gone.length + set.length === 0) return undefined;
    const texts = set.map(([key, item]) => [key, this.#text(item)] as const);
    return { ...(gone.length > 0 && { gone }), ...(set.length > 0 && { set: texts }) };
  }
}

/** What is so after a text; with none, as before. */
export function readDelta<T, V>(
  items: Map<string, V>,
  { text, read }: { text: DeltaText<T> | undefined; read: (item: T) => V },
): void {
  const { gone = [], set = [] } = text ?? {};
  for (const key of gone) items.delete(key);
  for (const [key, item] of set) items.set(key, read(item));
}
