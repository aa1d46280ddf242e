/**
 * A body that is read piece by piece.
 *
 * @module
 */
import { HTTPException } from "hono/http-exception";
import type { FairShares } from "./fair_shares.ts";

/**
 * Reads all of a body of at most so many bytes; what is kept of it counts as its caller's until the reading has ended.
 *
 * @throws {HTTPException} 413 for a longer one, 503 where its caller may not have more.
 */
export async function readPiecewise(
  reader: ReadableStreamDefaultReader<Uint8Array>,
  { maxBytes, shares, caller }: { maxBytes: number; shares: FairShares; caller: unknown },
): Promise<Uint8Array<ArrayBuffer>> {
  // One buffer that grows: a piece of one byte is a view of a buffer of 64 KiB.
  let kept = new Uint8Array(0);
  let size = 0;
  try {
    while (true) {
      const { done, value } = await reader.read();
      if (done) return kept.subarray(0, size);
      const offset = size;
      size += value.length;
      if (size > maxBytes) throw tooLarge(maxBytes);
      if (size > kept.length) {
        const larger = Math.min(2 * size, maxBytes);
        if (!shares.take(caller, larger - kept.length)) throw tooMany();
        const before = kept;
        kept = new Uint8Array(larger);
        kept.set(before);
      }
      kept.set(value, offset);
    }
  } finally {
    shares.giveBack(caller, kept.length);
  }
}

/** A body has more bytes than it may. */
export function tooLarge(maxBytes: number): HTTPException {
  return new HTTPException(413, { message: `The body is larger than ${maxBytes} bytes` });
}

function tooMany(): HTTPException {
  return new HTTPException(503, { message: "Too many bodies are being read: ask again later" });
}
