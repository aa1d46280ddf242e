/**
 * The room that pods take, and which of it those of a lower priority do, which nobody has to look for where there are none.
 *
 * @module
 */
import type { Claim } from "../core/plan/demand.ts";

/** What a pod takes. */
export interface Taken extends Claim {
  readonly staysForGood: boolean;
}

/** By uid of the pods that are bound, or held. */
export class TakenRoom implements Iterable<[string, Taken]> {
  readonly #byUid = new Map<string, Taken>();
  /** How many of them have a priority. */
  readonly #counts = new Map<number, number>();

  [Symbol.iterator](): IterableIterator<[string, Taken]> {
    return this.#byUid.entries();
  }

  get(uid: string): Taken | undefined {
    return this.#byUid.get(uid);
  }

  /** A pod takes room, in place of what it has taken so far. */
  take(uid: string, taken: Taken): void {
    this.leave(uid);
    this.#byUid.set(uid, taken);
    this.#count(taken, 1);
  }

  /** A pod takes none any more. */
  leave(uid: string): void {
    const taken = this.#byUid.get(uid);
    if (!taken) return;
    this.#byUid.delete(uid);
    this.#count(taken, -1);
  }

  /** Whether a pod of a lower priority takes any: plans ask that of queues that nobody has to make room for. */
  hasBelow(priority: number): boolean {
    for (const other of this.#counts.keys()) if (other < priority) return true;
    return false;
  }

  /** What pods of a lower priority take. */
  *below(priority: number): Iterable<Claim> {
    if (!this.hasBelow(priority)) return;
    for (const claim of this.#byUid.values()) if (claim.priority < priority) yield claim;
  }

  #count({ priority }: Claim, sign: 1 | -1): void {
    const count = (this.#counts.get(priority) ?? 0) + sign;
    if (count > 0) this.#counts.set(priority, count);
    else this.#counts.delete(priority);
  }
}
