/**
 * Stands in for `@std/testing/time` 1.x where JSR cannot be reached: the genuine names and signatures over
 * `@sinonjs/fake-timers`. To use the genuine one, point `@std/testing/time` in import_map.json at `jsr:@std/testing@1/time`.
 *
 * Faked are `Date` and the four timer functions. `performance.now()` and `AbortSignal.timeout()` stay real.
 *
 * @module
 */
import FakeTimers from "@sinonjs/fake-timers";

/** A wrong use of {@linkcode FakeTime}. */
export class TimeError extends Error {
  override name = "TimeError";
}

let active: FakeTime | undefined;

/** Replaces `Date` and the timer functions by fakes that move only when told to, until it is disposed of. */
export class FakeTime {
  /** The fake time at the start, in milliseconds since the epoch. */
  readonly start: number;
  readonly #clock: ReturnType<typeof FakeTimers.install>;
  readonly #realSetTimeout = globalThis.setTimeout;

  /** Starts the fake time at `start`; at the real time when it is absent. */
  constructor(start?: number | string | Date | null) {
    if (active) throw new TimeError("Cannot construct FakeTime: time is already faked");
    this.start = start === undefined || start === null ? Date.now() : new Date(start).getTime();
    if (Number.isNaN(this.start)) {
      throw new TimeError(`Cannot construct FakeTime: invalid start: current value is "${start}"`);
    }
    this.#clock = FakeTimers.install({
      now: this.start,
      toFake: ["Date", "setTimeout", "clearTimeout", "setInterval", "clearInterval"],
    });
    active = this;
  }

  /** Restores real time, whichever instance faked it. */
  static restore(): void {
    if (!active) throw new TimeError("Cannot restore time: time is already restored");
    active.restore();
  }

  /** The fake time in milliseconds since the epoch. */
  get now(): number {
    return this.#clock.now;
  }

  /** Moves the fake time forward to `value` and calls every timer that falls due on the way. */
  set now(value: number) {
    if (value < this.now) {
      throw new RangeError(
        `Cannot set current time in the past, time must be >= ${this.now}: current value is ${value}`,
      );
    }
    this.tick(value - this.now);
  }

  /** Moves the fake time forward by `ms` milliseconds and calls every timer that falls due on the way. */
  tick(ms = 0): void {
    this.#clock.tick(ms);
  }

  /** Like {@linkcode FakeTime.tick}, with promise callbacks run before, between and after the timers. */
  async tickAsync(ms = 0): Promise<void> {
    await this.#clock.tickAsync(ms);
  }

  /** Goes to the next timer and calls it. Returns whether there was one. */
  next(): boolean {
    const before = this.#clock.countTimers() > 0;
    this.#clock.next();
    return before;
  }

  /** Like {@linkcode FakeTime.next}, with promise callbacks run before and after. */
  async nextAsync(): Promise<boolean> {
    await this.runMicrotasks();
    const before = this.#clock.countTimers() > 0;
    await this.#clock.nextAsync();
    return before;
  }

  /** Calls timers in order until none is left. */
  runAll(): void {
    this.#clock.runAll();
  }

  /** Like {@linkcode FakeTime.runAll}, with promise callbacks run in between. */
  async runAllAsync(): Promise<void> {
    await this.#clock.runAllAsync();
  }

  /** Lets every promise callback that is due run. */
  async runMicrotasks(): Promise<void> {
    await new Promise<void>((resolve) => this.#realSetTimeout.call(globalThis, resolve, 0));
  }

  /** Restores real time. */
  restore(): void {
    if (active !== this) throw new TimeError("Cannot restore time: time is already restored");
    active = undefined;
    this.#clock.uninstall();
  }

  [Symbol.dispose](): void {
    if (active === this) this.restore();
  }
}
