/**
 * A gang group whose facts the functions do not take: asking again helps nobody before the facts are others.
 *
 * @module
 */

/** What was refused, how often in a row, and until when nothing is asked; times in ms since the epoch. */
export interface LeftAlone {
  readonly specs: string;
  readonly times: number;
  readonly until: number;
}

/** From one refusal to the next question, in ms; twice as long each time. */
const leaveMs = { least: 10_000, most: 300_000 };

/** After one more refusal of such specs. */
export function leaveAlone(
  before: LeftAlone | undefined,
  { specs, now }: { specs: string; now: number },
): LeftAlone {
  const times = before?.specs === specs ? before.times + 1 : 1;
  const waitMs = Math.min(leaveMs.most, leaveMs.least * 2 ** (times - 1));
  return { specs, times, until: now + waitMs };
}

/** Whether nothing is asked about such specs now. */
export function isLeftAlone(
  left: LeftAlone | undefined,
  { specs, now }: { specs: string; now: number },
): boolean {
  return left !== undefined && left.specs === specs && now < left.until;
}
