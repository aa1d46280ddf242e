/**
 * Whose calls the extender takes: kube-scheduler's, which runs beside it.
 *
 * @module
 */
import type { Context } from "hono";
import { bodyLimit } from "hono/body-limit";
import { HTTPException } from "hono/http-exception";

/** A pod's largest size, and the names of the largest cluster's nodes, fit several times. */
const maxBodyBytes = 8 * 1024 * 1024;

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
 * The arguments of a call, as `read` gives them, which throws a `TypeError` for what are none.
 *
 * @throws {HTTPException} for whoever can not be kube-scheduler: a web page makes its reader's browser call 127.0.0.1 too.
 */
export async function argsOf<Args>(c: Context, read: (body: unknown) => Args): Promise<Args> {
  const { headers, url } = c.req.raw;
  if (!onLoopback.test(url)) {
    refuse(403, "it is sent to another host than 127.0.0.1, localhost or [::1]");
  }
  if (ofBrowsers.some((name) => headers.has(name))) refuse(403, "it comes from a web page");
  if (!isJson.test(headers.get("content-type") ?? "")) {
    refuse(415, 'its content-type is not "application/json"');
  }
  const length = headers.get("content-length");
  // What comes in is counted only where its length is not declared; a scheduler declares it.
  if (length === null) await countBody(c, () => Promise.resolve());
  else if (Number(length) > maxBodyBytes) refuseLarge();
  try {
    return read(await c.req.raw.json());
  } catch (error) {
    refuse(400, (error as Error).message);
  }
}

const countBody = bodyLimit({ maxSize: maxBodyBytes, onError: refuseLarge });

function refuseLarge(): never {
  refuse(413, `its body is larger than ${maxBodyBytes} bytes`);
}

function refuse(status: 400 | 403 | 413 | 415, message: string): never {
  throw new HTTPException(status, { message });
}
