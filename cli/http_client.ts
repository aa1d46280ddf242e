/**
 * Connections to the API server and to functions elsewhere.
 *
 * @module
 */
import { rootCertificates } from "node:tls";
import type { Connection } from "../shared/client/connection.ts";
import type { Fetch } from "../shared/client/fetch.ts";
import { whyOf } from "../shared/client/why_of.ts";

/** An API server gives a request up after 60 s by itself: who says nothing for longer is not there any more. */
const answerWithinMs = 70_000;

/**
 * An HTTP client with the TLS settings of a kubeconfig; without a CA it trusts the public ones. Deno trusts its default roots
 * too, whatever it is given, so Muster runs with none: `DENO_TLS_CA_STORE` is empty.
 */
export function httpClientOf({ tls }: Pick<Connection, "tls">): Deno.HttpClient {
  const { ca, cert, key } = tls;
  return Deno.createHttpClient({
    caCerts: ca ? [ca] : [...rootCertificates],
    ...(cert && key && { cert, key }),
  });
}

/** Lets calls by `fetch` itself, such as those for an issuer's keys, trust the public CAs. */
export function trustPublicCas(): void {
  const { fetch } = globalThis;
  const client = httpClientOf({ tls: {} });
  globalThis.fetch = (
    input: RequestInfo | URL,
    init?: RequestInit & { client?: Deno.HttpClient },
  ) => fetch(input, { client, ...init });
}

/**
 * `fetch` over a connection that is kept. A call without an answer in time, in ms or by its own signal, throws a
 * `TimeoutError`, and those after it take another connection: TCP alone would wait a quarter of an hour for one that died
 * in silence. After a certificate that is not trusted they do too, with the CA as it is then.
 */
export class KeptFetch implements Disposable {
  readonly #connection: Pick<Connection, "tls">;
  readonly #withinMs: number;
  #client: Deno.HttpClient;

  constructor(connection: Pick<Connection, "tls">, withinMs = answerWithinMs) {
    this.#connection = connection;
    this.#withinMs = withinMs;
    this.#client = httpClientOf(connection);
  }

  readonly fetch: Fetch = async (url, init) => {
    const client = this.#client;
    const late = AbortSignal.timeout(this.#withinMs);
    const signal = init.signal ? AbortSignal.any([init.signal, late]) : late;
    try {
      return await fetch(url, { ...init, signal, client });
    } catch (error) {
      const isOver = isLate(signal) || isUntrusted(error as Error);
      if (isOver && client === this.#client) this.renew();
      throw error;
    }
  };

  /** The next call takes another connection, unless the CA can not be read now; those that wait for an answer keep theirs. */
  renew(): void {
    let client: Deno.HttpClient;
    try {
      client = httpClientOf(this.#connection);
    } catch {
      // The call that follows fails for what this is done for, and comes here again.
      return;
    }
    this.#client.close();
    this.#client = client;
  }

  [Symbol.dispose](): void {
    this.#client.close();
  }
}

/**
 * `fetch` over a connection of its own for each call, which is closed when the call's signal is aborted. `silent` is called
 * when that is because nothing came in time.
 */
export function separateFetch(connection: Pick<Connection, "tls">, silent: () => void): Fetch {
  return (url, init) => {
    const client = httpClientOf(connection);
    const { signal } = init;
    signal?.addEventListener("abort", () => {
      client.close();
      if (isLate(signal)) silent();
    });
    return fetch(url, { ...init, client });
  };
}

function isLate({ reason }: AbortSignal): boolean {
  return reason?.name === "TimeoutError";
}

function isUntrusted(error: Error): boolean {
  return /certificate/.test(whyOf(error));
}
