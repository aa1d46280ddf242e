/**
 * How much searches may look at: they might take exponentially long, and nobody is answered meanwhile.
 *
 * @module
 */

/** Nodes that may be looked at again after something did not find room: some tenths of a second on a slow machine. */
const mostLooks = 200_000;

/** The same for all groups of a namespace in one plan: however many they are, others wait no longer. */
export const mostOfNamespace = 1_000_000;

/** Counts nodes that are looked at, of one search or of several that look for the same. */
export class Looks {
  readonly #most: number;
  readonly #within: Looks | undefined;
  #spent = 0;

  /** What is spent is so of those `within` which they are, too. */
  constructor(most = mostLooks, within?: Looks) {
    this.#most = most;
    this.#within = within;
  }

  /** Searches go straight on from now: nothing is tried again. */
  get areOver(): boolean {
    return this.#spent >= this.#most || (this.#within?.areOver ?? false);
  }

  /** Counts more of them; whether they may be looked at. */
  spend(nodes: number): boolean {
    if (this.areOver) return false;
    this.#spent += nodes;
    this.#within?.spend(nodes);
    return true;
  }

  /** Counts what is looked at anyhow, for those that it is within; whether they were not over. */
  affords(nodes: number): boolean {
    return this.#within?.spend(nodes) ?? true;
  }

  /** As many for another search, as far as there are left of those that it is within. */
  another(): Looks {
    return new Looks(this.#most, this.#within);
  }
}
