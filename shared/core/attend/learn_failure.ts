/**
 * What a member that finds no node says of the nodes where it was planned, and of the others that have room for it.
 *
 * @module
 */
import type { MemberFailure } from "../gang/facts.ts";
import type { Attended } from "./attended.ts";
import { openPlaces, thereOn } from "./placement.ts";
import { learn } from "./refused_nodes.ts";
import { isBeyondPlans } from "./scheduler_reasons.ts";
import type { Snapshot } from "./snapshot.ts";

/**
 * Of a member that has a place the scheduler says that no node takes it, for reasons that no plan knows of; of nodes that have
 * just changed it may say what was.
 */
export function learnFailure(
  attended: Attended,
  { failure: { uid, message, gang = attended.id }, kind, changed = [], alikeOn = [] }: {
    failure: MemberFailure;
    kind: string | undefined;
    changed?: readonly string[] | undefined;
    alikeOn?: Iterable<readonly [node: string, members: number]> | undefined;
  },
  now: number,
): Attended {
  const { placement, refusedNodes } = attended;
  // One that may go anywhere and is not needed would keep room for ever that it can not use, because no round of it fails.
  const isKnown = placement.steering !== "free" || wasWhole(attended);
  if (kind === undefined || !isKnown || !isBeyondPlans(message)) return attended;
  const nodes = openPlaces(placement, { uid, kind, gang })
    .filter((node) => !changed.includes(node));
  if (nodes.length === 0) return attended;
  const there = thereOn(attended, { uid, kind, alikeOn });
  const learnt = learn(refusedNodes, { kind, nodes, now, thereOn: there });
  return { ...attended, refusedNodes: learnt, plan: undefined };
}

/**
 * The scheduler looks at every node before it says so of a member that was noted: it refuses all that have room for one more, and
 * not just those where it was planned. Of one that may go anywhere nothing else would ever show that, and each round would be as
 * blind as the last.
 */
export function learnUntaken(attended: Attended, snapshot: Snapshot, now: number): Attended {
  const { standing } = attended;
  if (standing.phase !== "let in" || !standing.untaken) return attended;
  let { refusedNodes, plan } = attended;
  for (const [kind, uid] of standing.untaken) {
    const nodes = snapshot.untaken(kind);
    if (nodes.length === 0) continue;
    const there = thereOn(attended, { uid, kind, alikeOn: snapshot.alikeOn(kind) });
    refusedNodes = learn(refusedNodes, { kind, nodes, now, untaken: uid, thereOn: there });
    plan = undefined;
  }
  // Later the scheduler may take members that it refused.
  const { untaken: _, ...rest } = standing;
  return { ...attended, refusedNodes, plan, standing: rest };
}

function wasWhole({ id, whole = {} }: Attended): boolean {
  return id.split(",").every((gang) => gang in whole);
}
