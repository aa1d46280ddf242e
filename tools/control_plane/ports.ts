/**
 * A port of 127.0.0.1 for each name, on which nobody listens. They lie below the range from which the kernel takes ports
 * for outgoing connections, as one of those could take a port before the server does, and all are held until the last is found.
 */
export function freePorts<Name extends string>(names: Name[]): Record<Name, number> {
  const listeners: Deno.TcpListener[] = [];
  try {
    while (listeners.length < names.length) {
      const port = 20_000 + Math.floor(Math.random() * 12_000);
      try {
        listeners.push(Deno.listen({ hostname: "127.0.0.1", port }));
      } catch (error) {
        if (!(error instanceof Deno.errors.AddrInUse)) throw error;
      }
    }
    const ports = listeners.map((listener, index) => [names[index], listener.addr.port]);
    return Object.fromEntries(ports);
  } finally {
    for (const listener of listeners) listener.close();
  }
}
