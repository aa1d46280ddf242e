/**
 * The text of an answer of which nobody knows beforehand how long it is.
 *
 * @module
 */

/** Undefined where it takes more than so many bytes: it is not read to its end. */
export async function textWithin(
  { body }: Pick<Response, "body">,
  mostBytes: number,
): Promise<string | undefined> {
  const decoder = new TextDecoder();
  let text = "";
  let bytes = 0;
  for await (const part of body ?? []) {
    bytes += part.byteLength;
    if (bytes > mostBytes) return undefined;
    text += decoder.decode(part, { stream: true });
  }
  return text + decoder.decode();
}
