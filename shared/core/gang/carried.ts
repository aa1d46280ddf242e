/**
 * What is worked out of an object once, and carried by it.
 *
 * @module
 */

/**
 * Something that objects carry, for as long as they are there. It is no part of them: a copy has none of it, and no text shows it.
 *
 * In a `WeakMap`, which says the same, V8 looks through all entries again and again at each large garbage collection: tens of
 * thousands of them block the event loop for a tenth of a second.
 */
export class Carried<Owner extends object, T> {
  readonly #key = Symbol("carried");

  /** Undefined: it carries none. */
  of(owner: Owner): T | undefined {
    return (owner as { [key: symbol]: T | undefined })[this.#key];
  }

  /** Gives what the object carries from now on; one that can not be written to carries nothing. */
  put(owner: Owner, value: T): T {
    Reflect.defineProperty(owner, this.#key, { value, configurable: true });
    return value;
  }
}
