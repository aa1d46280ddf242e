/**
 * What is served to callers on this machine alone.
 *
 * @module
 */
import { loopbackRefusal } from "../shared/http/loopback.ts";

/** Why a caller of this process is none of those, if so. */
export function refusalBeyondLoopback(
  request: Request,
  { remoteAddr }: Deno.ServeHandlerInfo,
): ReturnType<typeof loopbackRefusal> {
  const remote = "hostname" in remoteAddr ? remoteAddr.hostname : "";
  return loopbackRefusal(request, { remote, isLoopbackSocket: false });
}
