/**
 * Bodies of requests, as far as they are read before anybody looks at what they say.
 *
 * @module
 */
import type { Context, MiddlewareHandler } from "hono";
import { bodyLimit } from "hono/body-limit";
import { HTTPException } from "hono/http-exception";
import { TimeLimit } from "./time_limit.ts";

/** A body is sent at once: who takes longer, in ms, keeps a place that others need. */
export const bodyWithinMs = 10_000;
/** Bodies that are being read at the same time say that they have no more bytes than this, all together. */
export const maxReadingBytes = 64 * 1024 * 1024;

/**
 * Reads bodies of at most so many bytes, each of which is then at hand.
 *
 * @throws {HTTPException} 413 for a longer one, 400 for one that does not arrive, 408 for one that does not arrive in time,
 * 503 while too much is being read.
 */
export function bodyReader(
  maxBytes: number,
  within = new TimeLimit(bodyWithinMs),
): (c: Context) => Promise<string> {
  let readingBytes = 0;
  const inTime = <T>(read: Promise<T>) => within.run(read, tooLate);
  const limit = bodyLimit({
    maxSize: maxBytes,
    onError() {
      throw new HTTPException(413, { message: `The body is larger than ${maxBytes} bytes` });
    },
  });
  return async (c) => {
    const { headers } = c.req.raw;
    const declared = Number(headers.get("content-length") ?? maxBytes);
    const bytes = declared <= maxBytes ? declared : 0;
    if (readingBytes + bytes > maxReadingBytes) {
      throw new HTTPException(503, { message: "Too many bodies are being read: ask again later" });
    }
    readingBytes += bytes;
    // No more than that comes; whoever asks for the body as a stream has it read as one, which takes longer.
    const isShort = bytes > 0 && headers.has("content-length") && !headers.has("transfer-encoding");
    try {
      if (!isShort) await inTime(limit(c, async () => void await c.req.text()));
      return await inTime(c.req.text());
    } catch (error) {
      if (error instanceof HTTPException) throw error;
      throw new HTTPException(400, {
        message: "The body can not be read: it broke off, or was not sent as HTTP asks",
      });
    } finally {
      readingBytes -= bytes;
    }
  };
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

/** Facts of 10,000 held members have 50,000; 10,000 lost ones 80,000. */
const maxValues = 150_000;
/** The contract's are a fourth of it. */
const maxDepth = 32;

/**
 * Reads what is posted, as {@linkcode bodyReader}. JSON that would cost much to parse, whatever it says, is refused: of very many
 * values, or nested very deeply.
 *
 * @throws {HTTPException} 413, 400.
 */
export function readJson(maxBytes: number): MiddlewareHandler {
  const read = bodyReader(maxBytes);
  return async (c, next) => {
    // Nobody asks for the body of another request.
    if (c.req.method !== "POST") return await next();
    const { values, depth } = shapeOf(await read(c));
    if (values > maxValues) {
      throw new HTTPException(413, { message: `The body has more than ${maxValues} values` });
    }
    if (depth > maxDepth) {
      throw new HTTPException(413, {
        message: `The body is nested deeper than ${maxDepth} levels`,
      });
    }
    await next();
  };
}

const codes = { quote: 34, comma: 44, bracket: 91, backslash: 92, end: 93, brace: 123, close: 125 };

/** How many values a JSON text has, and how deeply they are nested; of a text that is no JSON, more or less. */
function shapeOf(text: string): { values: number; depth: number } {
  let values = 0;
  let level = 0;
  let depth = 0;
  for (let index = 0; index < text.length; index++) {
    switch (text.charCodeAt(index)) {
      case codes.quote:
        index = endOfString(text, index);
        break;
      case codes.comma:
        values++;
        break;
      case codes.bracket:
      case codes.brace:
        values++;
        depth = Math.max(depth, ++level);
        break;
      case codes.end:
      case codes.close:
        level--;
    }
  }
  return { values, depth };
}

/** Searched for, not walked to: a walk is long enough for V8 to compile it anew during the first call of an isolate. */
function endOfString(text: string, start: number): number {
  let end = text.indexOf('"', start + 1);
  while (end !== -1 && isEscaped(text, end)) end = text.indexOf('"', end + 1);
  return end === -1 ? text.length : end;
}

/** Whether the backslashes before a letter are an odd number of them. */
function isEscaped(text: string, index: number): boolean {
  let first = index;
  while (text.charCodeAt(first - 1) === codes.backslash) first--;
  return (index - first) % 2 === 1;
}
