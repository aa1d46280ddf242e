import { times } from "../../../shared/core/attend/times.ts";
import type { Change } from "../../../tools/sandbox/object_store.ts";
import type { Pod } from "../../../tools/sandbox/objects.ts";
import type { ModelApi } from "./model_api.ts";
import type { VirtualClock } from "./virtual_clock.ts";

/**
 * The pause after a failed round, which is a little longer than the scheduler's largest back-off, how long its members stay
 * nominated after it, and a moment for calls and cycles.
 */
const pauseMs = times.settled + times.staleCycle + 500;
/** It is looked at this often, in ms. */
const everyMs = 500;

/** Where nothing fails, whoever can start does so at once: when victims have left for a gang, it or the next in the queue. */
export class Promptness {
  readonly #clock: VirtualClock;
  #lastAt: number;

  constructor(api: ModelApi, clock: VirtualClock) {
    this.#clock = clock;
    this.#lastAt = clock.now;
    api.watch((change) => {
      if (isStep(change)) this.happened();
    });
  }

  /** Somebody came, left, was bound or let go for another: what follows may take its time. */
  happened(): void {
    this.#lastAt = this.#clock.now;
  }

  /** Lets time pass; gives what could have been done long ago and was not. `debtsAt` are those of bind calls opened before. */
  async pass(ms: number, debtsAt: (heldSince: number) => string[]): Promise<string[]> {
    const clock = this.#clock;
    const end = clock.now + ms;
    while (clock.now < end) {
      await clock.pass(Math.min(everyMs, end - clock.now));
      if (clock.now < this.#lastAt + pauseMs) continue;
      const owed = debtsAt(this.#lastAt);
      if (owed.length > 0) return owed;
    }
    return [];
  }
}

function isStep(change: Change): boolean {
  if (change.storage !== "pods" || change.type !== "MODIFIED") return true;
  const [before, pod] = [change.previous as Pod, change.object as Pod];
  return before.spec.nodeName !== pod.spec.nodeName ||
    before.metadata.deletionTimestamp !== pod.metadata.deletionTimestamp;
}
