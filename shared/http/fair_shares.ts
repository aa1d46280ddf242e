/**
 * What callers share, so that none of them keeps the others out.
 *
 * @module
 */

/** So much of something, to share: while it lasts a caller may have all of it, and then no more than an equal part. */
export class FairShares {
  readonly #most: number;
  readonly #taken = new Map<unknown, number>();
  #sum = 0;

  /** Callers who come when all is taken may still take their part: in all a few times `most` is taken then. */
  constructor(most: number) {
    this.#most = most;
  }

  /** Takes so much more for a caller; false where it may not have that. */
  take(caller: unknown, amount: number): boolean {
    const before = this.#taken.get(caller);
    const own = (before ?? 0) + amount;
    const callers = this.#taken.size + (before === undefined ? 1 : 0);
    if (this.#sum + amount > this.#most && own > this.#most / callers) return false;
    this.#taken.set(caller, own);
    this.#sum += amount;
    return true;
  }

  /** Gives back what was taken. */
  giveBack(caller: unknown, amount: number): void {
    const left = (this.#taken.get(caller) ?? 0) - amount;
    if (left > 0) this.#taken.set(caller, left);
    else this.#taken.delete(caller);
    this.#sum -= amount;
  }
}
