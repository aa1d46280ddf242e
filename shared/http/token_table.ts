/**
 * Bearer tokens that are known beforehand.
 *
 * @module
 */
/** What a credential may do: `read` sees the gangs of its cluster, `full` asks the stages too. */
export type Scope = "read" | "full";

/** For whom a credential speaks. */
export interface Caller {
  readonly cluster: string;
  readonly scope: Scope;
}

/** Tells whose a token is, in a time that says nothing about the tokens there are. */
export class TokenTable {
  readonly #tokens: readonly (Caller & { token: string })[];
  #digests: { digest: string; caller: Caller }[] | undefined;

  constructor(tokens: readonly (Caller & { token: string })[]) {
    this.#tokens = tokens;
  }

  /** For whom a token speaks; undefined for a token that is not known. */
  async callerOf(token: string): Promise<Caller | undefined> {
    // A value, not a promise: a Worker may not wait for what another request has begun.
    this.#digests ??= await Promise.all(
      this.#tokens.map(async ({ token, ...caller }) => ({ digest: await digestOf(token), caller })),
    );
    const given = await digestOf(token);
    let found: Caller | undefined;
    for (const { digest, caller } of this.#digests) {
      if (isSame(digest, given)) found = caller;
    }
    return found;
  }
}

async function digestOf(text: string): Promise<string> {
  return new Uint8Array(await crypto.subtle.digest("SHA-256", new TextEncoder().encode(text)))
    .toHex();
}

/** Looks at all of two digests, wherever they differ. */
function isSame(a: string, b: string): boolean {
  let difference = 0;
  for (let index = 0; index < a.length; index++) {
    difference |= a.charCodeAt(index) ^ b.charCodeAt(index);
  }
  return difference === 0;
}
