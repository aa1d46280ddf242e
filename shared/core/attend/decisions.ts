/**
 * All that is decided about one gang group, as one value: whoever performs it can be given another, which records for example.
 *
 * @module
 */
import { advance } from "./advance.ts";
import { offer } from "./offer.ts";
import { refusalOf } from "./refusal.ts";

/** What follows from events, and what `filter` answers. */
export interface Decisions {
  readonly advance: typeof advance;
  readonly refusalOf: typeof refusalOf;
  readonly offer: typeof offer;
}

/** As they are. */
export const decisions: Decisions = { advance, refusalOf, offer };
