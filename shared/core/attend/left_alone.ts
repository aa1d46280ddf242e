/**
 * A gang group whose facts the functions do not take: asking again helps nobody before the facts are others.
 *
 * @module
 */
import { times } from "./times.ts";

/** What was refused, how often in a row, and until when nothing is asked; times in ms since the epoch. */
export interface LeftAlone {
  readonly specs: string;
  readonly count: number;
  readonly until: number;
}

/** After one more refusal of such specs. */
export function leaveAlone(
  before: LeftAlone | undefined,
  { specs, now }: { specs: string; now: number },
): LeftAlone {
  const count = before?.specs === specs ? before.count + 1 : 1;
  const wait = Math.min(times.leaveMost, times.leaveLeast * 2 ** (count - 1));
  return { specs, count, until: now + wait };
}

/** Whether nothing is asked about such specs now. */
export function isLeftAlone(
  left: LeftAlone | undefined,
  { specs, now }: { specs: string; now: number },
): boolean {
  return left !== undefined && left.specs === specs && now < left.until;
}
