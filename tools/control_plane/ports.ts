/**
 * Ports of 127.0.0.1 for servers, on which nobody listens. They lie below the range from which the kernel takes ports for
 * outgoing connections, as one of those could take a port before the server does.
 *
 * @module
 */
const first = 20_000;
const blocks = 40;
const portsPerBlock = 300;

/** By its first port, which is listened on as long as this program runs, so that others that start servers now take others. */
const block = claimBlock();
let taken = 0;

/** A port for each name; the same one again only when all others of the block were given away. */
export function freePorts<Name extends string>(names: Name[]): Record<Name, number> {
  return Object.fromEntries(names.map((name) => [name, freePort()])) as Record<Name, number>;
}

function freePort(): number {
  for (let tries = 1; tries < portsPerBlock; tries++) {
    const port = block + 1 + taken++ % (portsPerBlock - 1);
    const listener = listenOn(port);
    if (!listener) continue;
    listener.close();
    return port;
  }
  throw new Error(`Somebody listens on every port from ${block} to ${block + portsPerBlock - 1}`);
}

function claimBlock(): number {
  const start = Math.floor(Math.random() * blocks);
  for (let index = 0; index < blocks; index++) {
    const port = first + (start + index) % blocks * portsPerBlock;
    const listener = listenOn(port);
    if (!listener) continue;
    listener.unref();
    return port;
  }
  throw new Error(`Somebody listens on the first port of every block from ${first} on`);
}

function listenOn(port: number): Deno.TcpListener | undefined {
  try {
    return Deno.listen({ hostname: "127.0.0.1", port });
  } catch (error) {
    if (error instanceof Deno.errors.AddrInUse) return undefined;
    throw error;
  }
}
