/**
 * What takes too long is given up.
 *
 * @module
 */

/** Something that runs, until when it may, in ms since the epoch, and what ends it. */
interface Running {
  readonly until: number;
  readonly giveUp: () => void;
}

/**
 * Gives up what runs for longer than so many ms. One timer is enough: what began first is late first, and it may be kept for
 * those to come: to set one for each body costs a call of the scheduler a third more (docs/benchmarks.md).
 */
export class TimeLimit {
  readonly #ms: number;
  readonly #running = new Set<Running>();
  #isKept: boolean;
  #timer: ReturnType<typeof setTimeout> | undefined;

  /** With `isKept` the timer stays while nothing runs, until {@linkcode stop}. */
  constructor(ms: number, { isKept = false } = {}) {
    this.#ms = ms;
    this.#isKept = isKept;
  }

  /** Resolves as `work` does; rejects with what `late` gives where that takes too long. */
  async run<T>(work: Promise<T>, late: () => Error): Promise<T> {
    const given = Promise.withResolvers<never>();
    const running = { until: Date.now() + this.#ms, giveUp: () => given.reject(late()) };
    this.#running.add(running);
    this.#setTimer(running);
    try {
      return await Promise.race([work, given.promise]);
    } finally {
      this.#running.delete(running);
      if (!this.#isKept) this.#rest();
    }
  }

  /** Keeps no timer any more, but for what runs. */
  stop(): void {
    this.#isKept = false;
    this.#rest();
  }

  #rest(): void {
    if (this.#running.size > 0) return;
    clearTimeout(this.#timer);
    this.#timer = undefined;
  }

  #setTimer({ until }: Running): void {
    // Of a clock that is set back nobody has more than one more time.
    this.#timer ??= setTimeout(() => this.#over(), Math.min(until - Date.now(), this.#ms));
  }

  #over(): void {
    this.#timer = undefined;
    const now = Date.now();
    for (const running of this.#running) {
      if (running.until > now) return this.#setTimer(running);
      running.giveUp();
    }
  }
}
