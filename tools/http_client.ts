/**
 * Connections to the API server.
 *
 * @module
 */
import type { Connection } from "../relay/connection.ts";
import type { Fetch } from "../relay/kube_api.ts";

/** An API server gives a request up after 60 s by itself: who says nothing for longer is not there any more. */
const answerWithinMs = 70_000;

/** An HTTP client with the TLS settings of a kubeconfig. */
export function httpClientOf({ tls }: Pick<Connection, "tls">): Deno.HttpClient {
  const { ca, cert, key } = tls;
  return Deno.createHttpClient({
    ...(ca && { caCerts: [ca] }),
    ...(cert && key && { cert, key }),
  });
}

/**
 * `fetch` over a connection that is kept. A call without an answer in time, in ms, throws a `TimeoutError`, and those after
 * it take another connection: TCP alone would wait a quarter of an hour for one that died in silence.
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
    const signal = AbortSignal.timeout(this.#withinMs);
    try {
      return await fetch(url, { ...init, signal, client });
    } catch (error) {
      if (signal.aborted && client === this.#client) {
        this.#client = httpClientOf(this.#connection);
        client.close();
      }
      throw error;
    }
  };

  [Symbol.dispose](): void {
    this.#client.close();
  }
}

/** `fetch` over a connection of its own for each call, which is closed when the call's signal is aborted. */
export function separateFetch(connection: Pick<Connection, "tls">): Fetch {
  return (url, init) => {
    const client = httpClientOf(connection);
    init.signal?.addEventListener("abort", () => client.close());
    return fetch(url, { ...init, client });
  };
}
