/**
 * The node of a member, for people.
 *
 * @module
 */
import type { GangPod } from "../gang/facts.ts";

/** `n1`, `to n1` where it is not bound yet, or `-`. */
export function nodeText({ node, planned }: Pick<GangPod, "node" | "planned">): string {
  return node ?? (planned === undefined ? "-" : `to ${planned}`);
}
