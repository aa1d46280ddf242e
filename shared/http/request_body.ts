/**
 * Bodies of requests, as far as they are read before anybody looks at what they say.
 *
 * @module
 */
import type { Context, MiddlewareHandler } from "hono";
import { HTTPException } from "hono/http-exception";
import { FairShares } from "./fair_shares.ts";
import { readPiecewise, tooLarge } from "./piecewise.ts";
import { TimeLimit } from "./time_limit.ts";

/** A body is sent at once: who takes longer, in ms, keeps a place that others need. */
export const bodyWithinMs = 10_000;
/** Of bodies that are read piece by piece so many bytes are kept, which their callers share. */
export const maxKeptBytes = 64 * 1024 * 1024;
/** Bodies that are read in one go say that they have no more bytes than this, all together. */
export const maxAnnouncedBytes = 16 * 1024 * 1024;

/** Options of {@linkcode bodyReader}. */
export interface BodyReaderOptions {
  /** Whose a body is, of those who share what is kept; by default each call's own. */
  readonly callerOf?: (c: Context) => unknown;
  /** It comes within this time; by default one that keeps no timer. */
  readonly within?: TimeLimit | undefined;
}

/**
 * Reads bodies of at most so many bytes, each of which is then at hand: in one go where a body says how long it is, which takes
 * less time, but goes on until its end, in time or not. Piece by piece others, and those beyond what may be announced at a time:
 * then only what has come counts, and what is late is broken off.
 *
 * @throws {HTTPException} 413 for a longer one, 400 for one that does not arrive, 408 for one that does not arrive in time,
 * 503 for one whose caller has too many bytes kept.
 */
export function bodyReader(
  maxBytes: number,
  { callerOf = (c) => c, within = new TimeLimit(bodyWithinMs) }: BodyReaderOptions = {},
): (c: Context) => Promise<string> {
  const shares = new FairShares(maxKeptBytes);
  let announcedBytes = 0;
  return async (c) => {
    const announced = announcedLength(c.req.raw.headers);
    if (announced > maxBytes) throw tooLarge(maxBytes);
    try {
      if (announcedBytes + announced <= maxAnnouncedBytes) {
        announcedBytes += announced;
        const text = c.req.text().finally(() => announcedBytes -= announced);
        return await within.run(text, tooLate);
      }
      await readPieces(
        c,
        (reader) =>
          within.run(readPiecewise(reader, { maxBytes, shares, caller: callerOf(c) }), tooLate),
      );
      return await c.req.text();
    } catch (error) {
      if (error instanceof HTTPException) throw error;
      throw new HTTPException(400, {
        message: "The body can not be read: it broke off, or was not sent as HTTP asks",
      });
    }
  };
}

/** How many bytes a body says that it has; NaN where it does not. */
function announcedLength(headers: Headers): number {
  return headers.has("transfer-encoding") ? NaN : Number(headers.get("content-length") ?? NaN);
}

/** Puts in place of a request's body, if it has one, what is read of it; what is not read then is broken off. */
async function readPieces(
  { req }: Context,
  read: (reader: ReadableStreamDefaultReader<Uint8Array>) => Promise<BodyInit>,
): Promise<void> {
  const reader = req.raw.body?.getReader();
  if (!reader) return;
  try {
    req.raw = new Request(req.raw, { body: await read(reader) });
  } catch (error) {
    reader.cancel().catch(() => {});
    throw error;
  }
}

/** {@linkcode bodyReader} before all that follows. */
export function readBody(maxBytes: number): MiddlewareHandler {
  const read = bodyReader(maxBytes);
  return async (c, next) => {
    await read(c);
    await next();
  };
}

function tooLate(): HTTPException {
  const message = `The body did not arrive within ${bodyWithinMs / 1000} s: send it at once`;
  return new HTTPException(408, { message });
}
