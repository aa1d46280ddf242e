/**
 * How much searches may look at: they might take exponentially long, and nobody is answered meanwhile.
 *
 * @module
 */

/** Nodes that may be looked at again after something did not find room: some tenths of a second on a slow machine. */
const mostLooks = 200_000;

/** Counts nodes that are looked at, of one search or of several that look for the same. */
export class Looks {
  readonly #most: number;
  #spent = 0;

  constructor(most = mostLooks) {
    this.#most = most;
  }

  /** Searches go straight on from now: nothing is tried again. */
  get areOver(): boolean {
    return this.#spent >= this.#most;
  }

  /** Counts more of them; whether they may be looked at. */
  spend(nodes: number): boolean {
    if (this.areOver) return false;
    this.#spent += nodes;
    return true;
  }
}
