/**
 * Credentials to the functions, and to stages elsewhere.
 *
 * @module
 */
import { readFile } from "node:fs/promises";
import type { TokenSource } from "../../shared/client/http_stages.ts";

/**
 * A token in a file, read for every call: a projected ServiceAccount token is replaced long before it expires.
 *
 * @throws {Error} when called, if the file holds no token; the message does not tell what it holds.
 */
export function tokenFile(path: string, whose = "the functions"): TokenSource {
  return async () => {
    const token = (await readFile(path, "utf8").catch((error) => {
      throw new Error(`Cannot read the token for ${whose}: ${error.message}`);
    })).trim();
    if (/^[\w.~+/-]+=*$/.test(token)) return token;
    throw new Error(
      `Cannot use the token for ${whose} in "${path}": it must be one word of letters, digits and -._~+/=`,
    );
  };
}
