/**
 * Makes every name in `gaps` throw a sentence when it is touched on `prototype`, so that an API which the
 * embedded store does not have is never mistaken for one that did nothing.
 * `gaps` maps the name to what to use instead; `prefix` is how the object is called in the sentence.
 */
export function refuse(prototype: object, options: { prefix: string; gaps: Gaps }): void {
  for (const [name, instead] of Object.entries(options.gaps)) {
    Object.defineProperty(prototype, name, {
      get(): never {
        throw new Error(
          `"${options.prefix}${name}" is not supported by the embedded store: ${instead}`,
        );
      },
    });
  }
}

/** Name of what is missing → what to do instead. */
export type Gaps = Record<string, string>;
