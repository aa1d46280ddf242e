/**
 * Members that `filter` refused before the watch showed them: the scheduler may hear of a pod first.
 *
 * @module
 */
import type { Refusal } from "./attended.ts";
import { times } from "./times.ts";

/** Keeps refusals until their pods are seen. */
export class EarlyRefusals {
  readonly #byUid = new Map<string, Refusal>();

  /** A pod was refused that nothing is known of. */
  add(uid: string, refusal: Refusal): void {
    this.#byUid.delete(uid);
    this.#byUid.set(uid, refusal);
    for (const [other, { at }] of this.#byUid) {
      if (at + times.sleeps > refusal.at) break;
      this.#byUid.delete(other);
    }
  }

  /** Gives what was kept for a pod, once. */
  take(uid: string): Refusal | undefined {
    const refusal = this.#byUid.get(uid);
    this.#byUid.delete(uid);
    return refusal;
  }
}
