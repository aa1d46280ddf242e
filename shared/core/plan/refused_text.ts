/**
 * Nodes that the scheduler refuses a kind, as a text: a large cluster may refuse all that have room, and is planned often.
 *
 * @module
 */
import { Carried } from "../gang/carried.ts";

const texts = new Carried<ReadonlySet<string>, string>();

/** The same for the same nodes. */
export function refusedText(nodes: ReadonlySet<string>): string {
  return texts.of(nodes) ?? texts.put(nodes, JSON.stringify([...nodes].sort()));
}
