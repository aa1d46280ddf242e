/**
 * What plans cost as the queue grows.
 *
 * @module
 */
import { type Spread, spreadOf } from "./figures.ts";

/** Plans with about as many jobs waiting. */
export interface PlanCost {
  /** Jobs that waited, from so many to so many. */
  readonly waiting: readonly [least: number, most: number];
  readonly plans: number;
  /** Of one plan, in ms of wall time. */
  readonly ms: Spread;
}

/** Times of plans, by the length of the queue. */
export class PlanCosts {
  readonly #byPower = new Map<number, number[]>();

  /** One with so many waiting took so long. */
  note(waiting: number, ms: number): void {
    // 1 to 10, 11 to 100, …
    const power = Math.max(1, Math.ceil(Math.log10(waiting)));
    const known = this.#byPower.get(power);
    if (known) known.push(ms);
    else this.#byPower.set(power, [ms]);
  }

  /** The shortest queues first. */
  figures(): PlanCost[] {
    return [...this.#byPower].sort(([a], [b]) => a - b).map(([power, times]) => ({
      waiting: [power === 1 ? 1 : 10 ** (power - 1) + 1, 10 ** power],
      plans: times.length,
      ms: spreadOf(times),
    }));
  }
}
