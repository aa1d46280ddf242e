/**
 * When time alone changes plans.
 *
 * @module
 */
import type { Attended } from "./attended.ts";
import { nextPromiseAt } from "./promise.ts";
import { nextForgottenAt } from "./refused_nodes.ts";
import { times } from "./times.ts";
import { nextEvictionAt } from "./vain_evictions.ts";

/** Until when the scheduler has tried the members of a group anew that was let in, in ms since the epoch; 0: it is not. */
export function triedUntil({ standing }: Attended): number {
  return standing.phase === "let in" ? standing.at + times.settled : 0;
}

/**
 * When it brings back nodes that the scheduler refused, starts that were promised, evictions, and room that groups kept, or has
 * tried a group's members, in ms since the epoch; Infinity: never.
 */
export function planAgainAt(
  groups: readonly { readonly attended: Attended }[],
  now: number,
): number {
  const ends = groups.flatMap(({ attended }) => [triedUntil(attended), attended.keepsUntil]);
  return Math.min(
    ...ends.filter((at) => at > now),
    nextForgottenAt(groups, now),
    nextPromiseAt(groups, now),
    nextEvictionAt(groups, now),
  );
}
