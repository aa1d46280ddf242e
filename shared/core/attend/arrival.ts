/**
 * Members whose bind call comes.
 *
 * @module
 */
import { whyPending } from "../words/why_pending.ts";
import type { Attended } from "./attended.ts";
import { openPlaces, type Place } from "./placement.ts";

/** A member whose bind call comes; its kind is undefined where its pod has not been seen yet. */
export interface Arrival extends Pick<Place, "gang" | "node"> {
  readonly uid: string;
  readonly kind: string | undefined;
}

/**
 * Why it is not held: since `filter` let it through its group has been planned elsewhere, and all of it must go there.
 * Undefined: it may be held.
 */
export function whyElsewhere(
  { placement }: Attended,
  { uid, kind, gang, node }: Arrival,
): { reason: "PlannedElsewhere"; message: string } | undefined {
  if (placement.steering !== "strict" || kind === undefined) return undefined;
  const places = openPlaces(placement, { uid, kind, gang });
  return places.includes(node) ? undefined : whyPending({ reason: "PlannedElsewhere", gang, node });
}
