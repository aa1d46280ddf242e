/**
 * Timers by the time of day.
 *
 * @module
 */

/** A timer takes no longer time: it would be over at once. */
const longestMs = 2 ** 31 - 1;

/**
 * Rings at a time, in ms since the epoch, that may be set anew. A timer that is set stays when the time becomes a later one, and
 * is set again only when it is over: of most times that are set another comes before they do.
 */
export class Alarm {
  readonly #ring: () => void;
  #at = Infinity;
  #timer: ReturnType<typeof setTimeout> | undefined;
  /** The time that the timer is set to. */
  #timerAt = Infinity;

  constructor(ring: () => void) {
    this.#ring = ring;
  }

  /** Rings then, and not before; Infinity: not at all. */
  set(at: number): void {
    this.#at = at;
    if (at < this.#timerAt) this.#setTimer();
  }

  /** Rings then, unless it does before. */
  setBy(at: number): void {
    if (at < this.#at) this.set(at);
  }

  /** Rings no more until it is set. */
  stop(): void {
    clearTimeout(this.#timer);
    this.#at = Infinity;
    this.#timerAt = Infinity;
  }

  #setTimer(): void {
    clearTimeout(this.#timer);
    this.#timerAt = this.#at;
    const inMs = Math.min(Math.max(0, this.#at - Date.now()), longestMs);
    this.#timer = setTimeout(() => this.#over(), inMs);
  }

  #over(): void {
    const isDue = this.#at <= this.#timerAt;
    this.#timerAt = Infinity;
    if (isDue) {
      this.#at = Infinity;
      this.#ring();
    } else if (this.#at < Infinity) this.#setTimer();
  }
}
