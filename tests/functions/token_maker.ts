import { type CryptoKey, exportJWK, generateKeyPair, type JWK, SignJWT } from "jose";

/** Who the relay is to its API server. */
export const relaySubject = "system:serviceaccount:muster-system:muster-relay";

/** What every Kubernetes cluster that was not told otherwise calls itself. */
export const issuer = "https://kubernetes.default.svc.cluster.local";

/** A cluster's key, and tokens that are signed with it. */
export class TokenMaker {
  readonly kid: string;
  readonly alg: string;
  readonly publicJwk: JWK;
  readonly #privateKey: CryptoKey;

  private constructor(about: { kid: string; alg: string; jwk: JWK; privateKey: CryptoKey }) {
    this.kid = about.kid;
    this.alg = about.alg;
    this.publicJwk = { ...about.jwk, kid: about.kid, alg: about.alg, use: "sig" };
    this.#privateKey = about.privateKey;
  }

  /** Draws a key. */
  static async create(kid: string, alg = "ES256"): Promise<TokenMaker> {
    const { privateKey, publicKey } = await generateKeyPair(alg);
    return new TokenMaker({ kid, alg, jwk: await exportJWK(publicKey), privateKey });
  }

  /** A token as the API server makes it for the relay, with claims and headers changed; undefined leaves one out. Times are in seconds from now. */
  token(
    claims: Record<string, unknown> = {},
    { headers = {}, expiresIn = 3600, validIn = 0 }: {
      headers?: Record<string, unknown>;
      expiresIn?: number;
      validIn?: number;
    } = {},
  ): Promise<string> {
    const now = Math.floor(Date.now() / 1000);
    return new SignJWT({
      iss: issuer,
      sub: relaySubject,
      aud: ["muster"],
      iat: now,
      nbf: now + validIn,
      exp: now + expiresIn,
      ...claims,
    }).setProtectedHeader({ alg: this.alg, kid: this.kid, ...headers }).sign(this.#privateKey);
  }
}

/** `header.payload.` of any content, without a signature. */
export function unsigned(header: unknown, payload: unknown): string {
  const part = (value: unknown) =>
    new TextEncoder().encode(JSON.stringify(value))
      .toBase64({ alphabet: "base64url", omitPadding: true });
  return `${part(header)}.${part(payload)}.`;
}
