/**
 * Members for which the scheduler finds no node, in its words.
 *
 * @module
 */
import type { MemberFailure } from "../gang/facts.ts";
import { limits } from "../gang/limits.ts";
import { shortened } from "./text.ts";

/** The first of them, and how many more there are; at least one. */
export function rootCause(failed: readonly MemberFailure[]): string {
  const first = failed[0]!;
  const others = failed.length > 1 ? ` and ${failed.length - 1} more` : "";
  return `no node for member ${first.name ?? first.uid}${others}: ${
    shortened(first.message, limits.quotation).replace(/\.\s*$/, "")
  }`;
}
