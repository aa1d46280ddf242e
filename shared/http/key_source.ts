/**
 * Where the keys that verify a token come from.
 *
 * @module
 */
import {
  createLocalJWKSet,
  createRemoteJWKSet,
  customFetch,
  errors,
  type FetchImplementation,
  type JWTVerifyGetKey,
} from "jose";

/** Keys can not be fetched now, so nothing can be said about a token. */
export class KeysUnavailable extends Error {
  override name = "KeysUnavailable";
}

const timeoutMs = 2000;
const maxBytes = 256 * 1024;
/** Fetched again after this time, and sooner for a key that is not among them. */
const freshMs = 10 * 60_000;
/** Keys that are older are not used, even if no newer ones can be fetched. */
const usableMs = 60 * 60_000;
/** Between two fetches for a key that is not among them. */
const cooldownMs = 30_000;
/** Nothing is fetched for so long after a failure, whoever asks. */
export const failureMs = 5000;

/**
 * The keys of a JWKS endpoint, kept for a while.
 *
 * @throws {KeysUnavailable} when called, if the endpoint does not give the key and no recent set has it.
 */
export function remoteKeys(url: string): JWTVerifyGetKey {
  let fetchedAt = 0;
  let failedAt = 0;
  const fetchKeys: FetchImplementation = async (url, init) => {
    if (Date.now() < failedAt + failureMs) throw new Error("The last fetch failed a moment ago");
    try {
      const response = await fetchBounded(url, init);
      fetchedAt = Date.now();
      return response;
    } catch (error) {
      failedAt = Date.now();
      throw error;
    }
  };
  const remote = createRemoteJWKSet(new URL(url), {
    timeoutDuration: timeoutMs,
    cacheMaxAge: freshMs,
    cooldownDuration: cooldownMs,
    [customFetch]: fetchKeys,
  });
  return async (header, jws) => {
    try {
      return await remote(header, jws);
    } catch (error) {
      if (isAboutToken(error)) throw error;
      const last = Date.now() < fetchedAt + usableMs ? remote.jwks() : undefined;
      const key = last && await createLocalJWKSet(last)(header, jws).catch(() => undefined);
      if (key) return key;
      const { message } = error as Error;
      throw new KeysUnavailable(`Cannot fetch the keys at "${url}": ${message}`, { cause: error });
    }
  };
}

/** Whether the keys were there, and it is the token that names none of them. */
function isAboutToken(error: unknown): boolean {
  return error instanceof errors.JWKSNoMatchingKey ||
    error instanceof errors.JWKSMultipleMatchingKeys || error instanceof errors.JOSENotSupported;
}

async function fetchBounded(url: string, init: RequestInit): Promise<Response> {
  const response = await fetch(url, init);
  const parts: Uint8Array<ArrayBuffer>[] = [];
  let bytes = 0;
  for await (const part of response.body ?? []) {
    bytes += part.byteLength;
    if (bytes > maxBytes) throw new Error(`The answer is larger than ${maxBytes} bytes`);
    parts.push(part);
  }
  if (response.status !== 200) throw new Error(`The answer has status ${response.status}, not 200`);
  return new Response(new Blob(parts));
}
