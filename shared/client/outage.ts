/**
 * Somebody who does not answer: how long he is left alone, and how seldom that is said.
 *
 * @module
 */

/** It is said again after so long, in ms: the first time, and at most; each time after twice as long. */
const silences = { first: 10_000, most: 600_000 };

/** For so long, in ms, whoever does not answer is most often being started anew, and back at any moment. */
const briefMs = 30_000;

/** The time from the first question without an answer to the next answer. */
export class Outage {
  readonly #calm: number;
  #since: number | undefined;
  #overAt = 0;
  #saysAt = 0;
  #silence = silences.first;

  /** One that begins sooner than so many ms after the last is said as seldom as if that had gone on. */
  constructor(calm = 0) {
    this.#calm = calm;
  }

  /** Whole seconds since it began; undefined: there is none. */
  get seconds(): number | undefined {
    return this.#since === undefined ? undefined : Math.round((Date.now() - this.#since) / 1000);
  }

  /** There was no answer; true: it is time to say so. */
  noted(): boolean {
    const now = Date.now();
    if (this.#since === undefined && now >= this.#overAt + this.#calm) {
      this.#saysAt = 0;
      this.#silence = silences.first;
    }
    this.#since ??= now;
    if (now < this.#saysAt) return false;
    this.#saysAt = now + this.#silence;
    this.#silence = Math.min(2 * this.#silence, silences.most);
    return true;
  }

  /** For how long nothing is asked, in ms: the least as long as the outage is brief, then about twice as long each time. */
  pauseMs({ least, most }: { least: number; most: number }): number {
    const now = Date.now();
    const beyond = now - (this.#since ?? now) - briefMs;
    return Math.min(Math.max(least, beyond * (1 + Math.random())), most);
  }

  /** There was an answer. */
  over(): void {
    if (this.#since === undefined) return;
    this.#since = undefined;
    this.#overAt = Date.now();
  }
}
