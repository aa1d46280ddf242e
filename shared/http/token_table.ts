/**
 * Bearer tokens that are known beforehand.
 *
 * @module
 */
import { timingSafeEqual } from "hono/utils/buffer";

/** Tells whose a token is, in a time that says nothing about the tokens there are. */
export class TokenTable {
  readonly #tokens: readonly { token: string; cluster: string }[];
  #digests: { digest: string; cluster: string }[] | undefined;

  constructor(tokens: readonly { token: string; cluster: string }[]) {
    this.#tokens = tokens;
  }

  /** The cluster that a token speaks for; undefined for a token that is not known. */
  async clusterOf(token: string): Promise<string | undefined> {
    // A value, not a promise: a Worker may not wait for what another request has begun.
    this.#digests ??= await Promise.all(
      this.#tokens.map(async ({ token, cluster }) => ({ digest: await digestOf(token), cluster })),
    );
    const given = await digestOf(token);
    let found: string | undefined;
    for (const { digest, cluster } of this.#digests) {
      if (await timingSafeEqual(digest, given, String)) found = cluster;
    }
    return found;
  }
}

async function digestOf(text: string): Promise<string> {
  return new Uint8Array(await crypto.subtle.digest("SHA-256", new TextEncoder().encode(text)))
    .toHex();
}
