/**
 * What is kept, and is not what was once put there: a disk or a person has damaged its file.
 *
 * @module
 */

/** Where it is thrown the embedded store deletes the file, and what was in it begins anew. */
export class DamagedError extends Error {
  override name = "DamagedError";
}

/** The value of a JSON text that was kept; throws a {@linkcode DamagedError} if it is none. */
// deno-lint-ignore no-explicit-any -- as JSON.parse
export function parseKept(text: string): any {
  try {
    return JSON.parse(text);
  } catch (cause) {
    throw new DamagedError(`A text that was kept is no JSON: ${(cause as Error).message}`, {
      cause,
    });
  }
}
