/**
 * All that is decided, as one value: whoever performs it can be given another, which records for example.
 *
 * @module
 */
import { advance } from "./advance.ts";
import { offer } from "./offer.ts";
import { refusalOf } from "./refusal.ts";
import { plan } from "../plan/planner.ts";

/** Where groups go, what follows from events of one, and what `filter` answers. */
export interface Decisions {
  readonly plan: typeof plan;
  readonly advance: typeof advance;
  readonly refusalOf: typeof refusalOf;
  readonly offer: typeof offer;
}

/** As they are. */
export const decisions: Decisions = { plan, advance, refusalOf, offer };
