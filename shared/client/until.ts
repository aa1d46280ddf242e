/**
 * Waits for what time or a change brings about.
 *
 * @module
 */

/** Whoever waits. */
export class Until {
  readonly #looks = new Set<() => void>();

  /** Resolves as soon as no time is left, in ms: `left` is asked now, whenever something has changed, and when it is over. */
  async over(left: () => number): Promise<void> {
    // Most often nothing is waited for.
    if (left() <= 0) return;
    const over = Promise.withResolvers<void>();
    let timer: ReturnType<typeof setTimeout> | undefined;
    const look = () => {
      clearTimeout(timer);
      const ms = left();
      if (ms > 0) timer = setTimeout(look, ms);
      else over.resolve();
    };
    this.#looks.add(look);
    look();
    await over.promise;
    this.#looks.delete(look);
  }

  /** Resolves as soon as it is so, or the time is over. */
  so(isSo: () => boolean, withinMs: number): Promise<void> {
    const end = Date.now() + withinMs;
    return this.over(() => isSo() ? 0 : end - Date.now());
  }

  /** Something has changed. */
  changed(): void {
    for (const look of this.#looks) look();
  }
}
