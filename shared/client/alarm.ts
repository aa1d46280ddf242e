/**
 * Timers by the time of day.
 *
 * @module
 */

/** A timer takes no longer time: it would be over at once. */
const longestMs = 2 ** 31 - 1;

/** Rings at a time, in ms since the epoch, that may be set anew. */
export class Alarm {
  readonly #ring: () => void;
  #at = Infinity;
  #timer: ReturnType<typeof setTimeout> | undefined;

  constructor(ring: () => void) {
    this.#ring = ring;
  }

  /** Rings then, and not before; Infinity: not at all. */
  set(at: number): void {
    clearTimeout(this.#timer);
    this.#at = at;
    if (at === Infinity) return;
    this.#timer = setTimeout(() => {
      this.#at = Infinity;
      this.#ring();
    }, Math.min(Math.max(0, at - Date.now()), longestMs));
  }

  /** Rings then, unless it does before. */
  setBy(at: number): void {
    if (at < this.#at) this.set(at);
  }

  /** Rings no more until it is set. */
  stop(): void {
    this.set(Infinity);
  }
}
