/** Announces that something changed, and lets a test wait until something is true. */
export class Changes {
  readonly #looks = new Set<() => void>();

  /** Whoever waits looks again. */
  happened(): void {
    for (const look of [...this.#looks]) look();
  }

  /** Resolves as soon as the predicate holds, now or after a change; throws what `describe` says after half a minute. */
  async until(predicate: () => boolean, describe: () => string): Promise<void> {
    const done = Promise.withResolvers<void>();
    const look = () => {
      try {
        if (predicate()) done.resolve();
      } catch (error) {
        done.reject(error);
      }
    };
    // A bound for what never comes, not something that a test measures.
    const timer = setTimeout(() => done.reject(new Error(describe())), 30_000);
    this.#looks.add(look);
    look();
    try {
      await done.promise;
    } finally {
      clearTimeout(timer);
      this.#looks.delete(look);
    }
  }
}
