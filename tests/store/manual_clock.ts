import type { Clock } from "../../shared/store/embedded/alarms.ts";

interface Timer {
  due: number;
  callback: () => void;
}

/** A clock that stands still until it is told to go on. */
export class ManualClock implements Clock {
  #now = 1_000_000;
  #timers = new Set<Timer>();
  #armed = Promise.withResolvers<number>();

  now(): number {
    return this.#now;
  }

  setTimeout(callback: () => void, ms: number): unknown {
    const timer = { due: this.#now + ms, callback };
    this.#timers.add(timer);
    this.#armed.resolve(ms);
    this.#armed = Promise.withResolvers();
    return timer;
  }

  clearTimeout(timer: unknown): void {
    this.#timers.delete(timer as Timer);
  }

  /** Lets `ms` pass and runs what is due then. */
  advance(ms: number): void {
    this.#now += ms;
    for (const timer of [...this.#timers]) {
      if (timer.due <= this.#now && this.#timers.delete(timer)) timer.callback();
    }
  }

  /** The delay of the next timer that anybody sets, in ms. */
  nextTimer(): Promise<number> {
    return this.#armed.promise;
  }
}
