/**
 * Open bind calls of gang members: the cluster knows of each, and here they are answered.
 *
 * @module
 */
import type { Cluster } from "../../shared/cluster/cluster.ts";
import type { PodRecord } from "../../shared/cluster/pod_record.ts";
import { placedAnswer } from "../../shared/core/attend/arrival.ts";
import type { Call } from "../../shared/core/attend/snapshot.ts";
import type { placeNow } from "../../shared/client/trace_place.ts";

/** An open bind call, and how it is answered. */
export interface Hold {
  /** As it is now: another once it is granted. */
  call: Call;
  readonly record: PodRecord;
  /** In the trace of the scheduler's call. */
  readonly trace: ReturnType<typeof placeNow>;
  /** Answers the call; an error lets the scheduler forget the pod's place. */
  readonly answer: (error?: string) => void;
}

/** All open bind calls, one per pod. */
export class Holds {
  readonly #cluster: Cluster;
  readonly #holds = new Map<string, Hold>();
  readonly #closed = new WeakMap<Hold, PromiseWithResolvers<void>>();
  #lastId = 0;

  constructor(cluster: Cluster) {
    this.#cluster = cluster;
  }

  /** For a call to be opened. */
  nextId(): number {
    return ++this.#lastId;
  }

  get size(): number {
    return this.#holds.size;
  }

  /** Opens a call; an older one of the same pod is answered, because its scheduler does not wait for it any more. */
  open(hold: Hold): void {
    const { call, record } = hold;
    this.#holds.get(call.pod.uid)?.answer("the scheduler has called again for this pod");
    this.#holds.set(call.pod.uid, hold);
    this.#cluster.podHeld(record, call);
  }

  /** Its binding is being written. */
  grant(hold: Hold): void {
    hold.call = { ...hold.call, isGranted: true };
    this.#cluster.podHeld(hold.record, hold.call);
  }

  /** Resolves when no call of the pod is granted whose binding is still being written. */
  async whenWritten(uid: string): Promise<void> {
    const hold = this.#holds.get(uid);
    if (!hold?.call.isGranted) return;
    const closed = this.#closed.get(hold) ?? Promise.withResolvers<void>();
    this.#closed.set(hold, closed);
    await closed.promise;
  }

  get(uid: string): Hold | undefined {
    return this.#holds.get(uid);
  }

  /** Whether exactly this call is still open. */
  has(hold: Hold): boolean {
    return this.#holds.get(hold.call.pod.uid) === hold;
  }

  /** Answers a call and forgets it. */
  close(hold: Hold, error?: string): void {
    if (this.has(hold)) {
      this.#holds.delete(hold.call.pod.uid);
      this.#cluster.podLetGo(hold.record);
    }
    hold.answer(error);
    this.#closed.get(hold)?.resolve();
  }

  /** A pod that got its node by an earlier call waits no longer: its call is answered. True: it was. */
  answerPlaced({ pod, node }: PodRecord): boolean {
    const hold = this.#holds.get(pod.metadata.uid);
    const answer = hold && placedAnswer(hold.call, node);
    if (answer) this.close(hold, answer.error);
    return answer !== undefined;
  }

  /** The gangs that have open calls, by their `namespace/name`. */
  gangs(): Set<string> {
    return new Set([...this].map(({ call }) => call.gang));
  }

  /** All of them. */
  [Symbol.iterator](): IterableIterator<Hold> {
    return this.#holds.values();
  }
}
