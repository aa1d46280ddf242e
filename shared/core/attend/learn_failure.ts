/**
 * What a member that finds no node says of the nodes where it was planned.
 *
 * @module
 */
import type { MemberFailure } from "../gang/facts.ts";
import type { Attended } from "./attended.ts";
import { openPlaces } from "./placement.ts";
import { isBeyondPlans, learn } from "./refused_nodes.ts";

/** Of a member that has a place the scheduler says that no node takes it, for reasons that no plan knows of. */
export function learnFailure(
  attended: Attended,
  { failure: { uid, message, gang = attended.id }, kind }: {
    failure: MemberFailure;
    kind: string | undefined;
  },
  now: number,
): Attended {
  const { placement, refusedNodes } = attended;
  // One that may go anywhere and is not needed would keep room for ever that it can not use, because no round of it fails.
  const isKnown = placement.steering !== "free" || wasWhole(attended);
  if (kind === undefined || !isKnown || !isBeyondPlans(message)) return attended;
  const nodes = openPlaces(placement, { uid, kind, gang });
  if (nodes.length === 0) return attended;
  const learnt = learn(refusedNodes, { kind, nodes, now });
  return { ...attended, refusedNodes: learnt, plan: undefined };
}

function wasWhole({ id, whole = {} }: Attended): boolean {
  return id.split(",").every((gang) => gang in whole);
}
