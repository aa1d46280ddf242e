/**
 * When something is said. It has to have been so for a moment: while pods come one after another, or go with their job, much is so
 * only until the next one. And what changes often is said less often.
 *
 * @module
 */
import { times } from "./times.ts";

/** Since when something is so, in ms since the epoch, and whether it has been said. */
export interface Sayable {
  readonly since: number;
  readonly isSaid: boolean;
}

/** What is so now, what of it is to be said, and when to look again at the latest; Infinity: all has been said. */
export function follow(
  before: ReadonlyMap<string, Sayable>,
  { keys, now }: { keys: Iterable<string>; now: number },
): { sayable: Map<string, Sayable>; due: string[]; nextAt: number } {
  const sayable = new Map<string, Sayable>();
  const due: string[] = [];
  let nextAt = Infinity;
  for (const key of keys) {
    const { since, isSaid } = before.get(key) ?? { since: now, isSaid: false };
    const isDue = !isSaid && now >= since + times.stands;
    if (isDue) due.push(key);
    else if (!isSaid) nextAt = Math.min(nextAt, since + times.stands);
    sayable.set(key, { since, isSaid: isSaid || isDue });
  }
  return { sayable, due, nextAt };
}

/** Of reasons that take turns so many are said soon, and then one in `times.speakRefill`. */
const burst = 4;

/** What was said last of something that has one reason after another, and how many more may be said soon. */
export interface Spoken {
  readonly reason: string;
  /** In ms since the epoch. */
  readonly at: number;
  readonly budget: number;
}

/** When a reason may be said, in ms since the epoch; that of last time may be said to whoever has come since. */
export function speaksAt(last: Spoken | undefined, reason: string): number {
  if (!last) return -Infinity;
  const restMs = last.reason === reason ? -Infinity : (1 - last.budget) * times.speakRefill;
  return last.at + Math.max(times.speakLeast, restMs);
}

/** What is known after a reason was said. */
export function spoken(
  last: Spoken | undefined,
  { reason, now }: { reason: string; now: number },
): Spoken {
  if (!last) return { reason, at: now, budget: burst - 1 };
  const budget = Math.min(burst, last.budget + (now - last.at) / times.speakRefill);
  return { reason, at: now, budget: last.reason === reason ? budget : budget - 1 };
}
