/**
 * The nodes that `filter` offers to a member of a gang that was let in.
 *
 * @module
 */
import type { Attended } from "./attended.ts";
import { choose } from "./placement.ts";
import { memberComes } from "./surplus.ts";

/** Those of the scheduler's nodes that a member may take, which is on its way to be held then. */
export function offer(
  attended: Attended,
  { uid, kind, nodes }: {
    uid: string;
    /** Undefined where its pod has not been seen yet. */
    kind: string | undefined;
    nodes: readonly string[];
  },
  now: number,
): { attended: Attended; nodes: readonly string[] } {
  const comes = memberComes(attended, uid, now);
  if (comes.failedAt === undefined || kind === undefined) return { attended: comes, nodes };
  const chosen = choose(comes.placement, { uid, kind }, nodes);
  return { attended: { ...comes, placement: chosen.placement }, nodes: chosen.nodes };
}
