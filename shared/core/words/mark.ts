/**
 * How Muster's sentences are told from the scheduler's own.
 *
 * @module
 */

import { limits } from "../gang/limits.ts";
import { shortened } from "./text.ts";

/** Every sentence that Muster puts on a pod begins with it. */
export const mark = "Muster: ";

/** A sentence as the scheduler is told it. */
export function marked(message: string): string {
  return mark + shortened(message, limits.sentence);
}
