/**
 * Connections to the API server.
 *
 * @module
 */
import type { Connection } from "../relay/connection.ts";
import type { Fetch } from "../relay/kube_api.ts";

/** An HTTP client with the TLS settings of a kubeconfig. */
export function httpClientOf({ tls }: Pick<Connection, "tls">): Deno.HttpClient {
  const { ca, cert, key } = tls;
  return Deno.createHttpClient({
    ...(ca && { caCerts: [ca] }),
    ...(cert && key && { cert, key }),
  });
}

/** `fetch` over a connection of its own for each call, which is closed when the call's signal is aborted. */
export function separateFetch(connection: Pick<Connection, "tls">): Fetch {
  return (url, init) => {
    const client = httpClientOf(connection);
    init.signal?.addEventListener("abort", () => client.close());
    return fetch(url, { ...init, client });
  };
}
