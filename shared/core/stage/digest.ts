/**
 * What a call says, as a short text: the same call repeated has the same one.
 *
 * @module
 */
import type { StageEvent } from "./step.ts";

/**
 * Names the facts and whatever else decides about them; not who says it, nor what no decision reads. The contract writes
 * fields in one order, whatever the order in which they came.
 */
export function digestOf({ settings: _, group, ...event }: StageEvent): string {
  return digestOfText(JSON.stringify([group.gangs, group.composites, group.leftOut, event]));
}

/** cyrb53 (public domain): nobody but the caller itself is deceived by two facts that are made to have the same hash. */
export function digestOfText(text: string): string {
  let high = 0xdeadbeef;
  let low = 0x41c6ce57;
  for (let index = 0; index < text.length; index++) {
    const unit = text.charCodeAt(index);
    high = Math.imul(high ^ unit, 2654435761);
    low = Math.imul(low ^ unit, 1597334677);
  }
  high = Math.imul(high ^ (high >>> 16), 2246822507) ^ Math.imul(low ^ (low >>> 13), 3266489909);
  low = Math.imul(low ^ (low >>> 16), 2246822507) ^ Math.imul(high ^ (high >>> 13), 3266489909);
  return (4294967296 * (2097151 & low) + (high >>> 0)).toString(36);
}
