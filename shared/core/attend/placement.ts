/**
 * Where the members of a group are to go whose last round failed though the plan had room for all of them: the scheduler,
 * which looks at one member at a time, gave one the room that only another can use.
 *
 * @module
 */
import type { Use } from "../room/fit.ts";
import type { SharedMap } from "./shared_map.ts";

/** Sends each member of a group to a node that the plan chose for its kind. */
export interface Placement {
  /** None: members go anywhere. */
  readonly uses: readonly Use[];
  /** Nodes of the members that were let through and are not known to be held, by uid. */
  readonly chosen: SharedMap<{ readonly node: string; readonly kind: string }>;
}

/** The group was planned anew: its members that still wait, as `waits` says, are to go where `taken` says. */
export function followPlan(
  { chosen }: Placement,
  taken: readonly Use[],
  waits: (uid: string) => boolean,
): Placement {
  const isMixed = taken.some(({ kind }) => kind !== taken[0]!.kind);
  let kept = chosen;
  for (const uid of chosen.keys()) if (!isMixed || !waits(uid)) kept = kept.without(uid);
  return { uses: isMixed ? taken : [], chosen: kept };
}

/** Which of these nodes a member may take: the planned one, or all where the scheduler has reasons against every planned one. */
export function choose(
  placement: Placement,
  member: { uid: string; kind: string },
  nodes: readonly string[],
): { placement: Placement; nodes: readonly string[] } {
  const { uid, kind } = member;
  const { uses, chosen } = placement;
  if (uses.length === 0) return { placement, nodes };
  const others = [...chosen].filter(([other, place]) => other !== uid && place.kind === kind);
  const isOpen = ({ node, count }: Use) =>
    others.filter(([, place]) => place.node === node).length < count;
  const before = chosen.get(uid)?.node;
  const open = uses.filter((use) => use.kind === kind && nodes.includes(use.node) && isOpen(use));
  const node = (open.find((use) => use.node === before) ?? open[0])?.node;
  if (node === undefined) return { placement, nodes };
  return { placement: { uses, chosen: chosen.with(uid, { node, kind }) }, nodes: [node] };
}
