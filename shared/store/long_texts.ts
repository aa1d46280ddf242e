/**
 * Texts of any length as values that have a limit.
 *
 * @module
 */
import type { DurableObjectStorage } from "./embedded/types.ts";

/**
 * The shortest piece that another follows, in UTF-16 units, of which each takes up to three bytes. A value of a durable object
 * may have 2 MB in all, a body of the contract 4 MB.
 */
const pieceUnits = 100_000;

/** Keeps long texts in pieces, each under a key of its own; short ones cost nothing. */
export class LongTexts {
  readonly #storage: Pick<DurableObjectStorage, "kv" | "transactionSync">;

  constructor(storage: Pick<DurableObjectStorage, "kv" | "transactionSync">) {
    this.#storage = storage;
  }

  /** Keeps a text; what a longer one before it has left behind is not read, and stays. */
  put(key: string, text: string): void {
    const { kv } = this.#storage;
    if (text.length < pieceUnits) return kv.put(key, text);
    this.#storage.transactionSync(() => {
      for (const [part, piece] of pieces(text).entries()) kv.put(keyOf(key, part), piece);
    });
  }

  /** The whole text; undefined: there is none. */
  get(key: string): string | undefined {
    const { kv } = this.#storage;
    let piece = kv.get<string>(key);
    let text = piece;
    for (let part = 1; piece !== undefined && piece.length >= pieceUnits; part++) {
      piece = kv.get<string>(keyOf(key, part));
      text += piece ?? "";
    }
    return text;
  }
}

function keyOf(key: string, part: number): string {
  return part === 0 ? key : `${key}/${part}`;
}

/** Cuts a text into pieces of `pieceUnits` and seldom one more, of which a shorter one is the last: a character of two units stays whole. */
function pieces(text: string): string[] {
  const found: string[] = [];
  let start = 0;
  while (text.length - start >= pieceUnits) {
    const end = start + pieceUnits;
    const isInsidePair = /^[\uDC00-\uDFFF]/.test(text.charAt(end));
    found.push(text.slice(start, isInsidePair ? end + 1 : end));
    start += found.at(-1)!.length;
  }
  return [...found, text.slice(start)];
}
