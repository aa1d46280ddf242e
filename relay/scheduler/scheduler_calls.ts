/**
 * Whose calls the extender takes: kube-scheduler's, which runs beside it.
 *
 * @module
 */
import type { Context, MiddlewareHandler } from "hono";
import { HTTPException } from "hono/http-exception";

/** A pod's largest size, and the names of the largest cluster's nodes, fit several times. */
export const maxBodyBytes = 8 * 1024 * 1024;

/** Each member that is held keeps a call open; of a gang group there are 10,000 at most that a call can tell. */
export const maxOpenCalls = 20_000;

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

/**
 * Refuses whoever can not be kube-scheduler: a web page makes its reader's browser call 127.0.0.1 too.
 *
 * @throws {HTTPException} 403, 415.
 */
export const fromScheduler: MiddlewareHandler = async (c, next) => {
  const { headers, url } = c.req.raw;
  if (!onLoopback.test(url)) {
    refuse(403, "it is sent to another host than 127.0.0.1, localhost or [::1]");
  }
  if (ofBrowsers.some((name) => headers.has(name))) refuse(403, "it comes from a web page");
  if (!isJson.test(headers.get("content-type") ?? "")) {
    refuse(415, 'its content-type is not "application/json"');
  }
  await next();
};

/**
 * The arguments of a call, as `read` gives them, which throws a `TypeError` for what are none.
 *
 * @throws {HTTPException} 400.
 */
export async function argsOf<Args>(c: Context, read: (body: unknown) => Args): Promise<Args> {
  try {
    return read(await c.req.json());
  } catch (error) {
    refuse(400, (error as Error).message);
  }
}

function refuse(status: 400 | 403 | 415, message: string): never {
  throw new HTTPException(status, { message });
}
