/**
 * Requests whose address can not be read.
 *
 * @module
 */
import { createMiddleware } from "hono/factory";
import { problem } from "./problem.ts";

/** Refuses what was sent to no name or address at all: nothing can be said about such a URL. */
export const namedHost = createMiddleware(async (c, next) => {
  if (URL.canParse(c.req.url)) return await next();
  return problem(c, 400, {
    title: "Bad request",
    detail: "Header host, or the address in the request, names no host: send a name or an address",
  });
});
