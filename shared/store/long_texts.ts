/**
 * Texts of any length in rows that have a limit.
 *
 * @module
 */
import type { SqlStorage } from "./embedded/types.ts";

/**
 * The longest piece, in UTF-16 units, of which each takes up to three bytes. A row of a durable object may have 2 MB in all,
 * a body of the contract 4 MB.
 */
const pieceUnits = 100_000;

/** Table of the pieces that do not stand in the row itself; part of a schema. */
export const longTextsTable = `
  CREATE TABLE long_texts (
    key TEXT NOT NULL,
    part INTEGER NOT NULL,
    text TEXT NOT NULL,
    PRIMARY KEY (key, part)
  );`;

/** Keeps the rest of long texts beside the row that they belong to; short ones cost nothing. */
export class LongTexts {
  readonly #sql: SqlStorage;

  constructor(sql: SqlStorage) {
    this.#sql = sql;
  }

  /** Puts the rest of the text away under `key`, and gives its beginning, which is what the row keeps. */
  put(key: string, text: string): string {
    if (text.length < pieceUnits) return text;
    this.#sql.exec("DELETE FROM long_texts WHERE key = ?", key);
    const [head, ...rest] = pieces(text);
    rest.forEach((piece, part) =>
      this.#sql.exec("INSERT INTO long_texts (key, part, text) VALUES (?, ?, ?)", key, part, piece)
    );
    return head!;
  }

  /** The whole text, of which the row kept the beginning. */
  get(key: string, head: string): string {
    // What a shorter text has left behind is not its rest.
    if (head.length < pieceUnits) return head;
    const rest = this.#sql.exec<{ text: string }>(
      "SELECT text FROM long_texts WHERE key = ? ORDER BY part",
      key,
    ).toArray();
    return head + rest.map(({ text }) => text).join("");
  }
}

/** Cuts a text into pieces of `pieceUnits` and seldom one more: a character of two units stays whole. */
function pieces(text: string): string[] {
  const found: string[] = [];
  for (let start = 0; start < text.length;) {
    const end = start + pieceUnits;
    const isInsidePair = /^[\uDC00-\uDFFF]/.test(text.charAt(end));
    found.push(text.slice(start, isInsidePair ? end + 1 : end));
    start += found.at(-1)!.length;
  }
  return found;
}
