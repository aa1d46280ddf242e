/**
 * Members that `filter` refused before the watch showed them: the scheduler may hear of a pod first, and an earlier
 * relay of one that this relay has not seen yet.
 *
 * @module
 */
import type { Refusal } from "../../shared/core/attend/attended.ts";
import { isGated, type PodRecord } from "../cluster/pod_record.ts";
import { fromMuster } from "./sentence.ts";

/** After this time the scheduler tries any pod anew by itself, in ms. */
const sleepsMs = 5 * 60_000;

/** Keeps refusals until their pods are seen. */
export class EarlyRefusals {
  readonly #byUid = new Map<string, Refusal>();

  /** A pod was refused that nothing is known of. */
  add(uid: string, refusal: Refusal): void {
    this.#byUid.delete(uid);
    this.#byUid.set(uid, refusal);
    for (const [other, { at }] of this.#byUid) {
      if (at + sleepsMs > refusal.at) break;
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

/** A member that an earlier relay refused sleeps in the scheduler's queue until it is woken. */
export function earlierRefusalOf(record: PodRecord): Refusal | undefined {
  const { node, pod, gang = "" } = record;
  const sentence = fromMuster(pod);
  if (sentence === undefined || node || isGated(record) || record.foreign) return undefined;
  return { pod: pod.metadata, gang, reason: "Unknown", sentence, at: Date.now() };
}
