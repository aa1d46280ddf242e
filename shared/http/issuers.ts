/**
 * Tokens that somebody else issues: those of Kubernetes ServiceAccounts.
 *
 * @module
 */
import {
  createLocalJWKSet,
  decodeJwt,
  errors,
  type JSONWebKeySet,
  jwtVerify,
  type JWTVerifyGetKey,
} from "jose";
import { KeysUnavailable, remoteKeys } from "./key_source.ts";
import type { Caller } from "./token_table.ts";

/** Whose tokens are accepted, and for which cluster they speak. */
export interface IssuerSettings {
  /** Claim `iss`. Several clusters may have the same one, with other keys. */
  readonly issuer: string;
  /** One of claim `aud`. */
  readonly audience: string;
  readonly cluster: string;
  /** Claim `sub`: every pod of a cluster can get a token of its issuer, for any audience. */
  readonly subjects: readonly string[];
  /** Those that may only read. */
  readonly readSubjects: readonly string[];
  /** Where the public keys are, or the keys themselves. */
  readonly jwksUrl?: string | undefined;
  readonly jwks?: JSONWebKeySet | undefined;
}

/** What a token is worth. */
export type Verdict =
  | Caller
  /** `forbidden`: genuine, but not one that may call; `invalid`: not accepted; why, in fixed words or claims that were verified. */
  | { readonly refused: "forbidden" | "invalid"; readonly why: string };

/** None that is made of a shared secret, so that a public key is never taken for one. */
const algorithms = [
  ...["RS256", "RS384", "RS512", "PS256", "PS384", "PS512"],
  ...["ES256", "ES384", "ES512", "EdDSA"],
];
const clockToleranceSeconds = 10;

/** The issuers that are trusted. */
export class Issuers {
  readonly #trusted: readonly { settings: IssuerSettings; keys: JWTVerifyGetKey }[];

  constructor(issuers: readonly IssuerSettings[]) {
    this.#trusted = issuers.map((settings) => ({
      settings,
      keys: settings.jwks ? createLocalJWKSet(settings.jwks) : remoteKeys(settings.jwksUrl!),
    }));
  }

  /**
   * Verifies a token: its signature first, then its claims.
   *
   * @throws {KeysUnavailable} if the keys that may verify it can not be fetched.
   */
  async verify(token: string): Promise<Verdict> {
    const issuer = claimedIssuer(token);
    let refusal: Verdict | undefined;
    let unavailable: KeysUnavailable | undefined;
    for (const { settings, keys } of this.#trusted) {
      if (settings.issuer !== issuer) continue;
      try {
        return await verifyBy(settings, { token, keys });
      } catch (error) {
        if (error instanceof KeysUnavailable) unavailable = error;
        else refusal = refusalOf(error) ?? refusal;
      }
    }
    if (!refusal && unavailable) throw unavailable;
    return refusal ?? {
      refused: "invalid",
      why: "The token is none of those that are accepted here",
    };
  }
}

class WrongSubject extends Error {}

async function verifyBy(
  { issuer, audience, subjects, readSubjects, cluster }: IssuerSettings,
  { token, keys }: { token: string; keys: JWTVerifyGetKey },
): Promise<Verdict> {
  const { payload } = await jwtVerify(token, keys, {
    issuer,
    audience,
    algorithms,
    clockTolerance: clockToleranceSeconds,
    requiredClaims: ["exp", "sub"],
  });
  if (subjects.includes(payload.sub!)) return { cluster, scope: "full" };
  if (readSubjects.includes(payload.sub!)) return { cluster, scope: "read" };
  throw new WrongSubject(
    `The token's subject "${payload.sub}" is none of those that may call: "${
      [...subjects, ...readSubjects].join('", "')
    }"`,
  );
}

/** What a genuine token lacks; undefined for one that is not genuine. */
function refusalOf(error: unknown): Verdict | undefined {
  if (error instanceof WrongSubject) return { refused: "forbidden", why: error.message };
  if (error instanceof errors.JWTExpired) {
    return { refused: "invalid", why: "The token has expired" };
  }
  if (error instanceof errors.JWTClaimValidationFailed) {
    const why = error.claim === "nbf"
      ? "The token is not valid yet"
      : `The token's claim ${error.claim} is not as it must be`;
    return { refused: "invalid", why };
  }
  if (error instanceof errors.JOSEError) return undefined;
  const { message } = error as Error;
  throw new KeysUnavailable(`Cannot use the keys of an issuer: ${message}`, { cause: error });
}

function claimedIssuer(token: string): string | undefined {
  try {
    return decodeJwt(token).iss;
  } catch {
    return undefined;
  }
}
