/**
 * HTML that is made of texts.
 *
 * @module
 */

/** A text that is HTML. */
export class Html {
  readonly #text: string;

  constructor(text: string) {
    this.#text = text;
  }

  toString(): string {
    return this.#text;
  }
}

/** HTML around texts, which are escaped, around more HTML, and lists of these. Hono's own does more, at three times the size. */
export function html(parts: TemplateStringsArray, ...values: readonly unknown[]): Html {
  return new Html(String.raw({ raw: parts }, ...values.map(htmlOf)));
}

const entities: Readonly<Record<string, string>> = {
  "&": "&amp;",
  "<": "&lt;",
  ">": "&gt;",
  '"': "&quot;",
  "'": "&#39;",
};

function htmlOf(value: unknown): string {
  if (Array.isArray(value)) return value.map(htmlOf).join("");
  if (value instanceof Html) return String(value);
  return String(value).replace(/[&<>"']/g, (letter) => entities[letter]!);
}
