/**
 * The time of day for programs that wait by it. A machine's clock may be set back, by an hour as well as by a second: whoever
 * noted when to try again would wait for that much longer.
 *
 * @module
 */

/** While it is ahead of the clock it goes by so much of the time that passes: what is waited for takes a ninth longer. */
const rateAhead = 0.9;

/** What time goes by, in ms. */
export interface Clocks {
  /** Since the epoch; may be set. */
  readonly wall: () => number;
  /** Since any time; never set. */
  readonly monotonic: () => number;
}

/** Ms since the epoch: never less than before, and where the clock was set back right again when that has caught up. */
export function steadyTime({ wall, monotonic }: Clocks): () => number {
  let [time, readAt] = [wall(), monotonic()];
  return () => {
    const at = monotonic();
    time = Math.max(wall(), time + rateAhead * (at - readAt));
    readAt = at;
    return Math.floor(time);
  };
}

/** From now on `Date.now` gives that, for all of this program. */
export function keepTimeSteady(): void {
  const { now: wall } = Date;
  Date.now = steadyTime({ wall, monotonic: () => performance.now() });
}
