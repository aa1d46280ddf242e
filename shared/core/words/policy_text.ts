/**
 * Texts of a policy that is not Muster's, made safe to stand in conditions, logs and pages.
 *
 * @module
 */
import { shortened } from "./text.ts";

/** Control characters, lone surrogates, and what turns the direction of a line or hides in it. */
const unsafe = /[\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}]+/gu;

/** One line of what a policy says, at most so long; a page and JSON escape the rest. */
export function policyText(text: string, most: number): string {
  // Only so much of it is looked at, however much there is.
  const line = text.slice(0, 4 * most).replace(unsafe, " ").replace(/ {2,}/g, " ").trim();
  return shortened(line, most);
}
