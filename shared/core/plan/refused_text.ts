/**
 * Nodes that the scheduler refuses a kind, as a text: a large cluster may refuse all that have room, and is planned often.
 *
 * @module
 */
import { Carried } from "../gang/carried.ts";
import type { Refusing } from "./world.ts";

const texts = new Carried<Refusing, string>();

/** The same for the same nodes. */
export function refusedText(nodes: Refusing): string {
  return texts.of(nodes) ?? texts.put(nodes, JSON.stringify([nodes.each, [...nodes.more].sort()]));
}
