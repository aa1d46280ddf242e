/**
 * Makes a dropped watch noticed under Deno: undici asks `isReadable(webStream)` before it forwards an error, and Deno's
 * `node:stream` answers null where Node answers true. Imported before the Kubernetes client; does nothing where it is mended.
 *
 * @module
 */
import stream from "node:stream";

type IsReadable = (stream: unknown) => boolean | null;

const holder = stream as unknown as { isReadable: IsReadable };
const original = holder.isReadable;

if (original(new ReadableStream()) === null) {
  holder.isReadable = (candidate) =>
    candidate instanceof ReadableStream ? true : original(candidate);
}
