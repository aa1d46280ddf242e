/**
 * Texts by number, each in the place of one that was written before.
 *
 * @module
 */

/** Counts texts. */
export class Numbers {
  readonly #byText = new Map<string, number>();

  /** The number of a text, and whether it has just got it. */
  of(text: string): { number: number; isNew: boolean } {
    const known = this.#byText.get(text);
    if (known !== undefined) return { number: known, isNew: false };
    this.#byText.set(text, this.#byText.size);
    return { number: this.#byText.size - 1, isNew: true };
  }
}
