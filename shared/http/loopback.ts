/**
 * Callers on the same machine.
 *
 * @module
 */

/**
 * Whether a request comes from this machine. The name it was sent to must be a loopback one too: a web page elsewhere can make
 * its reader's browser call 127.0.0.1, but only under the page's own name.
 */
export function isFromLoopback(
  request: { url: string },
  { remote, isLoopbackSocket }: { remote: string | undefined; isLoopbackSocket: boolean },
): boolean {
  const isNear = remote === undefined ? isLoopbackSocket : isLoopbackName(remote);
  return isNear && isLoopbackName(new URL(request.url).hostname);
}

/** Whether a host's name or address is this machine's own. */
export function isLoopbackName(name: string): boolean {
  return name === "localhost" || name === "::1" || name === "[::1]" ||
    /^(::ffff:)?127(\.\d{1,3}){3}$/.test(name);
}
