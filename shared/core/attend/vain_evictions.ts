/**
 * Evictions in vain: pods left for a group, and then the scheduler refused its members for reasons that no plan knows of, a
 * volume, say. Else whoever comes back to the room would be evicted again and again for a group that can not use it.
 *
 * @module
 */
import type { MemberFailure } from "../gang/facts.ts";
import { isBeyondPlans } from "./scheduler_reasons.ts";
import { times } from "./times.ts";

/** What has become of a group's evictions since it was whole last. */
export interface VainEvictions {
  /** So many were in vain, in a row. */
  readonly count: number;
  /** Nobody is evicted for it until then, in ms since the epoch. */
  readonly until: number;
  /** Pods were evicted for it, and no round has followed yet. */
  readonly isOpen: boolean;
}

/** Pods are evicted for a group. */
export function evictsNow({ count = 0, until = 0 }: Partial<VainEvictions> = {}): VainEvictions {
  return { count, until, isOpen: true };
}

/** Its round has failed: where that is for reasons beyond plans, the next evictions wait the longer the more were in vain. */
export function roundFailed(
  before: VainEvictions | undefined,
  { failed, isRefused = false, now }: {
    failed: Iterable<MemberFailure>;
    /** Of members that failed there is no place beside nodes that the scheduler refused in this round. */
    isRefused?: boolean;
    now: number;
  },
): VainEvictions | undefined {
  if (!before?.isOpen) return before;
  if (!isRefused && ![...failed].some(({ message }) => isBeyondPlans(message))) return before;
  const { count } = before;
  const until = now + Math.min(times.vainEvictionMost, times.refusedNode * 2 ** count);
  return { count: count + 1, until, isOpen: false };
}

/** What a group's evictions are looked at by. */
interface Spending {
  readonly vainEvictions?: VainEvictions | undefined;
}

/** Whether pods may be evicted for a group. */
export function maySpendEvictions({ vainEvictions }: Spending, now: number): boolean {
  return now >= (vainEvictions?.until ?? 0);
}

/** When the first of the groups may have pods evicted again, in ms since the epoch; Infinity: none waits for it. */
export function nextEvictionAt(
  groups: readonly { readonly attended: Spending }[],
  now: number,
): number {
  let next = Infinity;
  for (const { attended: { vainEvictions } } of groups) {
    if (vainEvictions && vainEvictions.until > now) next = Math.min(next, vainEvictions.until);
  }
  return next;
}
