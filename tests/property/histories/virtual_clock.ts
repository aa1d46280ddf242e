import { setImmediate } from "node:timers";
import { steadyTime } from "../../../cli/steady_time.ts";
import { Chance } from "../../../tools/chance.ts";

interface Timer {
  readonly due: number;
  readonly order: number;
  readonly callback: () => void;
}

const real = {
  now: Date.now,
  performanceNow: performance.now,
  setTimeout: globalThis.setTimeout,
  clearTimeout: globalThis.clearTimeout,
  timeout: AbortSignal.timeout,
  random: Math.random,
};

/** So many timers before the time that is to pass has passed set each other for ever, which would keep a real processor busy. */
const mostInAPass = 100_000;

/** What the signals of timeouts abort with; made once, because a stack takes long. */
const timedOut = new DOMException("Signal timed out.", "TimeoutError");

/**
 * Time that passes only when told to. While it is installed, `Date.now`, kept steady as Muster's programs do,
 * `performance.now`, `setTimeout` and `AbortSignal.timeout` go by it, and `Math.random`, by which retries are spread, gives
 * the same numbers each time; everything that a timer starts has come to rest before the next one is called.
 */
export class VirtualClock implements Disposable {
  #now: number;
  /** How far the time of day is ahead. */
  #ahead = 0;
  #order = 0;
  readonly #timers = new Map<number, Timer>();
  /** A binary heap by time and order of setting; timers that were cleared stay in it until they are due. */
  readonly #heap: { readonly id: number; readonly timer: Timer }[] = [];
  readonly #timeouts = new WeakMap<AbortSignal, number>();
  readonly #busy = new Set<Promise<unknown>>();

  constructor(start: number) {
    this.#now = start;
    const chance = new Chance(0);
    Math.random = () => chance.below(1 << 20) / (1 << 20);
    Date.now = steadyTime({
      wall: () => this.#now + this.#ahead,
      monotonic: () => this.#now,
    });
    performance.now = () => this.#now;
    globalThis.setTimeout = ((callback: () => void, ms = 0) => this.set(callback, ms)) as never;
    globalThis.clearTimeout = ((id?: number) => this.clear(id)) as never;
    AbortSignal.timeout = (ms) => {
      const controller = new AbortController();
      const timer = this.set(() => controller.abort(timedOut), ms);
      this.#timeouts.set(controller.signal, timer);
      return controller.signal;
    };
  }

  /** Milliseconds since the epoch, as if nobody had set the time of day. */
  get now(): number {
    return this.#now;
  }

  /** Sets the time of day so many ms later, or earlier; timers and `performance.now` go on. */
  setBy(ms: number): void {
    this.#ahead += ms;
  }

  /** Calls back so many ms from now. */
  set(callback: () => void, ms: number): number {
    const order = ++this.#order;
    const timer = { due: this.#now + Math.max(0, ms), order, callback };
    this.#timers.set(order, timer);
    this.#push({ id: order, timer });
    return order;
  }

  /** Nobody listens to the signal of a timeout any more. */
  release(signal: AbortSignal): void {
    this.clear(this.#timeouts.get(signal));
  }

  /** Takes a timer back. */
  clear(id: number | undefined): void {
    if (id !== undefined) this.#timers.delete(id);
  }

  /** Resolves so many ms from now. */
  sleep(ms: number): Promise<void> {
    return new Promise((resolve) => this.set(resolve, ms));
  }

  /** No time passes before this work, which may really take some, is done. */
  during<T>(work: Promise<T>): Promise<T> {
    this.#busy.add(work);
    const done = () => this.#busy.delete(work);
    work.then(done, done);
    return work;
  }

  /** Everything that can happen without time passing happens. */
  async rest(): Promise<void> {
    do {
      await Promise.allSettled([...this.#busy]);
      await new Promise<void>((resolve) => setImmediate(resolve));
    } while (this.#busy.size > 0);
  }

  /** Lets so many ms pass. */
  async pass(ms: number): Promise<void> {
    const end = this.#now + ms;
    await this.rest();
    let called = 0;
    for (let timer = this.#pop(end); timer; timer = this.#pop(end)) {
      if (++called > mostInAPass) {
        throw new Error(
          `timers set each other for ever, ${end - this.#now} ms before ${ms} ms have passed`,
        );
      }
      this.#now = timer.due;
      timer.callback();
      await this.rest();
    }
    this.#now = end;
  }

  [Symbol.dispose](): void {
    Date.now = real.now;
    performance.now = real.performanceNow;
    globalThis.setTimeout = real.setTimeout;
    globalThis.clearTimeout = real.clearTimeout;
    AbortSignal.timeout = real.timeout;
    Math.random = real.random;
    this.#timers.clear();
  }

  #pop(end: number): Timer | undefined {
    while (this.#heap.length > 0) {
      const { id, timer } = this.#heap[0]!;
      if (this.#timers.has(id) && timer.due > end) return undefined;
      this.#shift();
      if (this.#timers.delete(id)) return timer;
    }
    return undefined;
  }

  #push(entry: { id: number; timer: Timer }): void {
    const heap = this.#heap;
    let at = heap.push(entry) - 1;
    while (at > 0) {
      const parent = (at - 1) >> 1;
      if (!isBefore(entry.timer, heap[parent]!.timer)) break;
      heap[at] = heap[parent]!;
      at = parent;
    }
    heap[at] = entry;
  }

  #shift(): void {
    const heap = this.#heap;
    const last = heap.pop()!;
    if (heap.length === 0) return;
    let at = 0;
    while (true) {
      let child = 2 * at + 1;
      if (child >= heap.length) break;
      if (child + 1 < heap.length && isBefore(heap[child + 1]!.timer, heap[child]!.timer)) child++;
      if (!isBefore(heap[child]!.timer, last.timer)) break;
      heap[at] = heap[child]!;
      at = child;
    }
    heap[at] = last;
  }
}

function isBefore(a: Timer, b: Timer): boolean {
  return a.due < b.due || (a.due === b.due && a.order < b.order);
}
