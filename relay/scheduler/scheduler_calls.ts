/**
 * Whose calls the extender takes: kube-scheduler's, which runs beside it.
 *
 * @module
 */
import type { Context, Handler } from "hono";
import { HTTPException } from "hono/http-exception";
import { openAtATime } from "../../shared/http/open_calls.ts";
import { bodyReader } from "../../shared/http/request_body.ts";
import type { TimeLimit } from "../../shared/http/time_limit.ts";

/** A pod's largest size, and the names of the largest cluster's nodes, fit several times. */
const maxBodyBytes = 8 * 1024 * 1024;

/** Each member that is held keeps a call open; of a gang group there are 10,000 at most that a call can tell. */
const maxOpenCalls = 20_000;

const onLoopback = /^https?:\/\/(127\.0\.0\.1|localhost|\[::1\])(:\d*)?\//;
const isJson = /^application\/json *(;|$)/i;
/** Every browser says one of these with each POST; kube-scheduler says none. */
const ofBrowsers = [
  "origin",
  "sec-fetch-site",
  "sec-fetch-mode",
  "sec-fetch-dest",
  "sec-fetch-user",
];

/** A handler of calls whose arguments are as `read` gives them, which throws a `TypeError` for what are none. */
type HandlerOf = <Args>(
  read: (body: unknown) => Args,
  answer: (args: Args, c: Context) => object | Promise<object>,
) => Handler;

/**
 * Handlers of kube-scheduler's calls, of which a number may be open in all; `called` is told of each, whose body comes within
 * a time. One function checks a call: where hono calls the checks one after another, a call takes a third more CPU time
 * (docs/benchmarks.md).
 *
 * @throws {HTTPException} 400, 403, 408, 413, 415, 503.
 */
export function schedulerCalls(called: () => void, bodyWithin?: TimeLimit): HandlerOf {
  const within = openAtATime(maxOpenCalls);
  const bodyOf = bodyReader(maxBodyBytes, { within: bodyWithin });
  return (read, answer) => (c) =>
    within("scheduler", async () => {
      mustBeScheduler(c.req.raw);
      const args = argsIn(await bodyOf(c), read);
      called();
      return c.json(await answer(args, c));
    });
}

/** Whoever can not be kube-scheduler is refused: a web page makes its reader's browser call 127.0.0.1 too. */
function mustBeScheduler({ headers, url }: Request): void {
  if (!onLoopback.test(url)) {
    refuse(403, "it is sent to another host than 127.0.0.1, localhost or [::1]");
  }
  if (ofBrowsers.some((name) => headers.has(name))) refuse(403, "it comes from a web page");
  if (!isJson.test(headers.get("content-type") ?? "")) {
    refuse(415, 'its content-type is not "application/json"');
  }
}

function argsIn<Args>(body: string, read: (body: unknown) => Args): Args {
  try {
    return read(JSON.parse(body));
  } catch (error) {
    refuse(400, (error as Error).message);
  }
}

function refuse(status: 400 | 403 | 415, message: string): never {
  throw new HTTPException(status, { message });
}
