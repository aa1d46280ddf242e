/**
 * Waits for something to come, but not for ever.
 *
 * @module
 */

/** Whoever waits, by what they wait for. */
export class Awaited<Key, Value> {
  readonly #waiting = new Map<Key, Set<(value?: Value) => void>>();

  /** Resolves when it has come; to undefined when the time is over before. */
  wait(key: Key, withinMs: number): Promise<Value | undefined> {
    const waiting = this.#waiting.get(key) ?? new Set();
    this.#waiting.set(key, waiting);
    return new Promise((resolve) => {
      const end = (value?: Value) => {
        clearTimeout(timer);
        waiting.delete(end);
        if (waiting.size === 0) this.#waiting.delete(key);
        resolve(value);
      };
      const timer = setTimeout(end, withinMs);
      waiting.add(end);
    });
  }

  /** Whether somebody waits for it. */
  isAwaited(key: Key): boolean {
    return this.#waiting.has(key);
  }

  /** It has come. */
  came(key: Key, value: Value): void {
    for (const end of [...this.#waiting.get(key) ?? []]) end(value);
  }
}
