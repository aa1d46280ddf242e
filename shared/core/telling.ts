/**
 * What is said once it has been so for a moment: while pods come one after another, or go with their job, much is so that is
 * not so any more with the next one.
 *
 * @module
 */

/** What is to be said has to stand for so long, in ms. */
export const standsMs = 2000;

/** Since when something is so, in ms since the epoch, and whether it has been said. */
export interface Standing {
  readonly since: number;
  readonly isSaid: boolean;
}

/** What is so now, what of it is to be said, and when to look again at the latest; Infinity: all has been said. */
export function follow(
  before: ReadonlyMap<string, Standing>,
  { keys, now }: { keys: Iterable<string>; now: number },
): { standings: Map<string, Standing>; due: string[]; nextAt: number } {
  const standings = new Map<string, Standing>();
  const due: string[] = [];
  let nextAt = Infinity;
  for (const key of keys) {
    const { since, isSaid } = before.get(key) ?? { since: now, isSaid: false };
    const isDue = !isSaid && now >= since + standsMs;
    if (isDue) due.push(key);
    else if (!isSaid) nextAt = Math.min(nextAt, since + standsMs);
    standings.set(key, { since, isSaid: isSaid || isDue });
  }
  return { standings, due, nextAt };
}
