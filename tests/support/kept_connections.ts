const encoder = new TextEncoder();

/** What clients do that keep their connections: requests as they are written, whole or not. */
const kinds: Record<string, (paths: { stream: string; body: string }) => string> = {
  idle: () => "GET /healthz HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n",
  silent: () => "",
  "half a request": () => "GET /healthz HTTP/1.1\r\nHo",
  "half a body": ({ body }) =>
    `POST ${body} HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Type: application/json\r\nContent-Length: 100\r\n\r\n{`,
  "a stream, never read": ({ stream }) => `GET ${stream} HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n`,
};

/** Connections that a client keeps open, and never reads from after the first bytes, until this is disposed. */
export class KeptConnections implements Disposable {
  readonly #connections: Deno.TcpConn[] = [];

  /** Opens one of every kind to a server; resolves when it has answered those that it answers by now. */
  async open(url: string, paths: { stream: string; body: string }): Promise<void> {
    const { hostname, port } = new URL(url);
    for (const [kind, request] of Object.entries(kinds)) {
      const connection = await Deno.connect({ hostname, port: Number(port) });
      this.#connections.push(connection);
      await connection.write(encoder.encode(request(paths)));
      if (kind === "idle" || kind.startsWith("a stream")) await connection.read(new Uint8Array(16));
    }
  }

  [Symbol.dispose](): void {
    for (const connection of this.#connections) connection.close();
  }
}
