/**
 * How long a call of `filter` waits before it is answered: the scheduler tries nobody else meanwhile.
 *
 * @module
 */
import { isLetIn } from "../core/attend/attended.ts";
import { times } from "../core/attend/times.ts";
import { worthWaitingUntil } from "../core/attend/worth_waiting.ts";
import type { Cluster } from "./cluster.ts";
import type { GangGroup } from "./gang_group.ts";
import type { GroupTable } from "./group_table.ts";
import { untriedFrom } from "./untried.ts";

/** A member that the scheduler tries. */
export interface Tried {
  readonly uid: string;
  /** `namespace/name`. */
  readonly gang: string;
  /** When the call came, in ms since the epoch. */
  readonly calledAt: number;
}

/** What is known; `now` is in ms since the epoch. */
export interface Known {
  readonly cluster: Pick<Cluster, "pods" | "regularPods">;
  readonly groups: Pick<GroupTable, "of"> & Iterable<GangGroup>;
  readonly now: number;
}

/**
 * So much longer the call waits, in ms, because the gang is about to be complete, or judged: refused, its member would have to
 * sit out the scheduler's back-off. Nobody is kept waiting who could be placed meanwhile.
 */
export function patienceWith(tried: Tried, known: Known): number {
  const group = known.groups.of(tried.gang);
  const left = untilOf(tried, group, known) - known.now;
  return left > 0 && !othersCome(group, known) ? left : 0;
}

function untilOf(
  { uid, calledAt }: Tried,
  group: GangGroup | undefined,
  { cluster: { pods } }: Known,
): number {
  // The scheduler may hear of a pod before the relay does.
  if (!group || !pods.has(uid)) return calledAt + times.judged;
  const { attended, gangs } = group;
  return worthWaitingUntil(attended, {
    isIncomplete: gangs.some(({ isIncomplete }) => isIncomplete),
    waiting: gangs.reduce((sum, { lists }) => sum + lists.sizeOf("waiting"), 0),
  });
}

/**
 * Whether the scheduler may be about to try pods of others that can be placed; it has found no node for the rest, or does not try
 * them.
 */
function othersCome(
  own: GangGroup | undefined,
  { cluster: { regularPods }, groups, now }: Known,
): boolean {
  if (regularPods.areToBeTried(now)) return true;
  for (const group of groups) {
    if (group === own || !isLetIn(group.attended) || !group.hasUntried) continue;
    if (now < untriedFrom(group)) return true;
  }
  return false;
}
