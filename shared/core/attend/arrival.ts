/**
 * Members whose bind call comes.
 *
 * @module
 */
import { marked } from "../words/mark.ts";
import { whyPending } from "../words/why_pending.ts";
import type { Attended, Preemptor } from "./attended.ts";
import { type MemberPlace, openPlaces } from "./placement.ts";
import type { Call } from "./snapshot.ts";

/** A member whose bind call comes; its kind is undefined where its pod has not been seen yet. */
export interface Arrival extends Pick<MemberPlace, "gang" | "node"> {
  readonly uid: string;
  readonly kind: string | undefined;
}

/**
 * How the open call of a pod is answered that has got a node by an earlier one. Undefined: it is held on, or its own binding
 * is being written.
 */
export function placedAnswer(
  { pod, isGranted }: Call,
  node: string | undefined,
): { readonly error: string | undefined } | undefined {
  if (node === undefined || isGranted) return undefined;
  const isThere = node === pod.node;
  return { error: isThere ? undefined : marked(`the pod is already bound to ${node}`) };
}

/**
 * For whom a group still makes room, whatever of it comes; undefined: for nobody, or the preemptor has its place, is kept out
 * or gone.
 */
export function yieldsTo(
  { yields }: Attended,
  { isOver, now }: { isOver: (preemptor: Preemptor) => boolean; now: number },
): Preemptor | undefined {
  return yields && now < yields.until && !isOver(yields.to) ? yields.to : undefined;
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
