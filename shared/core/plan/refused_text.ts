/**
 * Nodes that the scheduler refuses a kind, as a text: a large cluster may refuse all that have room, and is planned often.
 *
 * @module
 */

const texts = new WeakMap<ReadonlySet<string>, string>();

/** The same for the same nodes. */
export function refusedText(nodes: ReadonlySet<string>): string {
  const text = texts.get(nodes) ?? JSON.stringify([...nodes].sort());
  texts.set(nodes, text);
  return text;
}
