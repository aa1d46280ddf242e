/**
 * Open bind calls of gang members.
 *
 * @module
 */
import type { PodRef } from "../../shared/core/gang/facts.ts";
import type { PodRecord } from "../cluster/pod_record.ts";
import type { TracePlace } from "../report/trace.ts";

/** An open bind call. The scheduler has assumed the pod on the node and waits for the answer. */
export interface Hold {
  /** No two calls have the same. */
  readonly id: number;
  readonly record: PodRecord;
  readonly pod: PodRef & { readonly node: string };
  readonly openedAt: number;
  /** In the trace of the scheduler's call. */
  readonly trace: TracePlace;
  /** The binding is being written: it can not be taken back any more. */
  isGranted: boolean;
  /** Answers the call; an error lets the scheduler forget the pod's place. */
  readonly answer: (error?: string) => void;
}

/** All open bind calls, one per pod. */
export class Holds {
  readonly #holds = new Map<string, Hold>();
  readonly #closed = new WeakMap<Hold, PromiseWithResolvers<void>>();

  #lastId = 0;

  /** For a call to be opened. */
  nextId(): number {
    return ++this.#lastId;
  }

  get size(): number {
    return this.#holds.size;
  }

  /** Opens a call; an older one of the same pod is answered, because its scheduler does not wait for it any more. */
  open(hold: Hold): void {
    this.#holds.get(hold.pod.uid)?.answer("the scheduler has called again for this pod");
    this.#holds.set(hold.pod.uid, hold);
  }

  /** Resolves when no call of the pod is granted whose binding is still being written. */
  async whenWritten(uid: string): Promise<void> {
    const hold = this.#holds.get(uid);
    if (!hold?.isGranted) return;
    const closed = this.#closed.get(hold) ?? Promise.withResolvers<void>();
    this.#closed.set(hold, closed);
    await closed.promise;
  }

  get(uid: string): Hold | undefined {
    return this.#holds.get(uid);
  }

  /** Whether exactly this call is still open. */
  has(hold: Hold): boolean {
    return this.#holds.get(hold.pod.uid) === hold;
  }

  /** Answers a call and forgets it. */
  close(hold: Hold, error?: string): void {
    if (this.has(hold)) this.#holds.delete(hold.pod.uid);
    hold.answer(error);
    this.#closed.get(hold)?.resolve();
  }

  /** The gangs that have open calls, by their `namespace/name`. */
  gangs(): Set<string | undefined> {
    return new Set([...this].map(({ record }) => record.gang));
  }

  /** All of them. */
  [Symbol.iterator](): IterableIterator<Hold> {
    return this.#holds.values();
  }
}
