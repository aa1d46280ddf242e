/**
 * What kubelet and Prometheus ask from outside of the Pod.
 *
 * Whoever reaches the Pod reaches this address, so Node's server listens here: it ends a connection whose request does not
 * come, which Deno's leaves open for good.
 *
 * @module
 */
import { createServer, type Server } from "node:http";
import type { Socket } from "node:net";

/** Where it listens. */
export interface HealthAddress {
  /** Undefined: on every address of the machine, of IPv4 and IPv6. */
  readonly hostname?: string | undefined;
  readonly port: number;
}

/** A running one. */
export interface HealthServer {
  /** The port; another than was asked for where that was 0. */
  readonly port: number;
  /** Takes no more calls, and ends every connection. */
  shutdown(): Promise<void>;
}

/** How long, in ms, a connection may take to say what it wants, and to want something again. */
const limits = {
  headersTimeout: 5000,
  requestTimeout: 5000,
  keepAliveTimeout: 5000,
  connectionsCheckingInterval: 1000,
};
/** Open connections. A kubelet and a few Prometheus servers need less. */
const most = { ofAddress: 10, ofAll: 100 };

/** The paths that are answered. */
export function isHealth(pathname: string): boolean {
  return ["/healthz", "/readyz", "/metrics"].includes(pathname);
}

/** Serves `/healthz`, `/readyz` and `/metrics` of an app, and nothing else. */
export async function serveHealth(
  { hostname, port }: HealthAddress,
  app: { request(path: string): Response | Promise<Response> },
): Promise<HealthServer> {
  const server = createServer(limits, async ({ method, url = "/" }, answer) => {
    const path = url.split("?", 1)[0]!;
    const isAsked = isHealth(path) && (method === "GET" || method === "HEAD");
    const response = isAsked
      ? await app.request(path)
      : new Response("Not Found", { status: 404, headers: { "content-type": "text/plain" } });
    const text = await response.text();
    const type = response.headers.get("content-type") ?? "text/plain";
    answer.writeHead(response.status, { "content-type": type }).end(text);
  });
  limitConnections(server);
  const listening = Promise.withResolvers<void>();
  server.once("error", listening.reject).listen(port, hostname, listening.resolve);
  await listening.promise;
  const address = server.address();
  return {
    port: typeof address === "object" && address ? address.port : port,
    async shutdown() {
      const closed = Promise.withResolvers<void>();
      server.close(() => closed.resolve());
      server.closeAllConnections();
      await closed.promise;
    },
  };
}

/** A new connection is always taken, as it may be kubelet's: one too many ends the oldest of its address, or of all. */
function limitConnections(server: Server): void {
  const open = new Map<Socket, string | undefined>();
  server.on("connection", (socket) => {
    const { remoteAddress } = socket;
    open.set(socket, remoteAddress);
    socket.once("close", () => open.delete(socket));
    const own = [...open.keys()].filter((other) => open.get(other) === remoteAddress);
    const [oldest] = own.length > most.ofAddress ? own : open.size > most.ofAll ? open.keys() : [];
    if (!oldest) return;
    open.delete(oldest);
    oldest.destroy();
  });
}
