/**
 * What kubelet and Prometheus ask from outside of the Pod.
 *
 * Whoever reaches the Pod reaches this address, so Node's server listens here: it ends a connection whose request does not
 * come, which Deno's leaves open for good.
 *
 * @module
 */
import { createServer, type Server } from "node:http";
import { isIPv6, type Socket } from "node:net";

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

/**
 * A new connection is taken, as it may be kubelet's: one too many ends the oldest of its address, or of the address that has most.
 * What is asked already is answered first, and an address keeps one.
 */
function limitConnections(server: Server): void {
  const open = new Map<string, Set<Socket>>();
  const asking = new Set<Socket>();
  server.on("request", ({ socket }, answer) => {
    asking.add(socket);
    answer.once("close", () => asking.delete(socket));
  });
  server.on("connection", (socket) => {
    const address = networkOf(socket.remoteAddress ?? "");
    const own = open.get(address) ?? new Set();
    open.set(address, own.add(socket));
    socket.once("close", () => {
      own.delete(socket);
      if (own.size === 0 && open.get(address) === own) open.delete(address);
    });
    const crowd = crowdIn([...open.values()], own);
    if (!crowd) return;
    const [oldest = crowd === own ? socket : [...crowd][0]!] = crowd.difference(asking);
    crowd.delete(oldest);
    oldest.destroy();
  });
}

/** The connections of whom has too many; undefined: nobody has. */
function crowdIn(all: readonly Set<Socket>[], own: Set<Socket>): Set<Socket> | undefined {
  if (own.size > most.ofAddress) return own;
  if (all.reduce((sum, { size }) => sum + size, 0) <= most.ofAll) return undefined;
  const largest = all.reduce((a, b) => b.size > a.size ? b : a);
  return largest.size > 1 ? largest : undefined;
}

/** An IPv4 address, or the /64 of one of IPv6, of which whoever has one has all. */
export function networkOf(address: string): string {
  if (!isIPv6(address) || address.includes(".")) return address;
  const [start = "", end] = address.split("::");
  const groups = start.split(":");
  const rest = end === undefined ? [] : end.split(":");
  const zeros = Array<string>(Math.max(0, 8 - groups.length - rest.length)).fill("0");
  return [...groups, ...zeros, ...rest].slice(0, 4).join(":");
}
