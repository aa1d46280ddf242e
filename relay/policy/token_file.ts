/**
 * The relay's credential to the functions.
 *
 * @module
 */
import { readFile } from "node:fs/promises";

/** Gives the bearer token for the next call. */
export type TokenSource = () => Promise<string>;

/**
 * A token in a file, read for every call: a projected ServiceAccount token is replaced long before it expires.
 *
 * @throws {Error} when called, if the file holds no token; the message does not tell what it holds.
 */
export function tokenFile(path: string): TokenSource {
  return async () => {
    const token = (await readFile(path, "utf8").catch((error) => {
      throw new Error(`Cannot read the token for the functions: ${error.message}`);
    })).trim();
    if (/^[\w.~+/-]+=*$/.test(token)) return token;
    throw new Error(
      `Cannot use the token for the functions in "${path}": it must be one word of letters, digits and -._~+/=`,
    );
  };
}
