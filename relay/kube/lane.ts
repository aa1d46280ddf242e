/**
 * Work that is in no hurry.
 *
 * @module
 */

/** Does so many things at a time, those that came first before the others. */
export class Lane {
  readonly #atOnce: number;
  readonly #waiting: (() => Promise<void>)[] = [];
  #workers = 0;

  constructor(atOnce: number) {
    this.#atOnce = atOnce;
  }

  /** How many have not begun. */
  get length(): number {
    return this.#waiting.length;
  }

  /** Resolves when it is done. */
  run<T>(job: () => Promise<T>): Promise<T> {
    const { promise, resolve } = Promise.withResolvers<T>();
    this.#waiting.push(async () => {
      const done = job();
      resolve(done);
      await done.catch(() => {});
    });
    if (this.#workers < this.#atOnce) void this.#work();
    return promise;
  }

  async #work(): Promise<void> {
    this.#workers++;
    for (let next = this.#waiting.shift(); next; next = this.#waiting.shift()) await next();
    this.#workers--;
  }
}
