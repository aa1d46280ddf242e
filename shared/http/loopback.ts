/**
 * Callers on the same machine.
 *
 * @module
 */
import type { Refusal } from "./refusal.ts";

/** Headers that a proxy adds to what it forwards for others. */
const forwarding =
  /^(x-forwarded-.*|forwarded|via|x-real-ip|x-client-ip|x-original-forwarded-for|true-client-ip|cf-connecting-ip)$/;

const remedy = "set MUSTER_TOKENS or MUSTER_ISSUERS (docs/security.md)";

/**
 * Why a request is not served where no credential is configured, if so. It must come from this machine, by no proxy, and not
 * from a web page elsewhere: that can make its reader's browser call 127.0.0.1, but only under the page's own name, or by
 * saying whose page it is.
 */
export function loopbackRefusal(
  request: Pick<Request, "url" | "method" | "headers">,
  { remote, isLoopbackSocket }: { remote: string | undefined; isLoopbackSocket: boolean },
): Refusal | undefined {
  const isNear = remote === undefined ? isLoopbackSocket : isLoopbackName(remote);
  if (!isNear) {
    return {
      status: 503,
      title: "Not configured",
      detail: `No credential is configured, so only callers on loopback are served: ${remedy}`,
    };
  }
  const sign = foreignSign(request);
  return sign === undefined ? undefined : {
    status: 403,
    title: "Not local",
    detail: "No credential is configured, so only callers on loopback are served, " +
      `and ${sign}: ${remedy}`,
  };
}

/** What shows that a request which came over loopback was somebody else's; quotes nothing of it. */
function foreignSign({ url, method, headers }: Pick<Request, "url" | "method" | "headers">) {
  const forwarded = [...headers.keys()].find((name) => forwarding.test(name));
  if (forwarded !== undefined) return `header ${forwarded} says that a proxy forwarded this call`;
  if (!isLoopbackName(new URL(url).hostname)) {
    return "this call was sent to a name of another machine";
  }
  const origin = headers.get("origin");
  const site = headers.get("sec-fetch-site");
  if (
    origin !== null && !isLoopbackOrigin(origin) && !(origin === "null" && site === "same-origin")
  ) {
    return "header origin says that a web page elsewhere made this call";
  }
  // Following a link shows the page to its reader, and to nobody else.
  const isLink = method === "GET" && headers.get("sec-fetch-mode") === "navigate";
  if (site === "cross-site" && !isLink) {
    return "header sec-fetch-site says that a web page elsewhere made this call";
  }
  return undefined;
}

function isLoopbackOrigin(origin: string): boolean {
  return URL.canParse(origin) && isLoopbackName(new URL(origin).hostname);
}

/** Whether a host's name or address is this machine's own. */
export function isLoopbackName(name: string): boolean {
  return name === "localhost" || name === "::1" || name === "[::1]" ||
    /^(::ffff:)?127(\.\d{1,3}){3}$/.test(name);
}
