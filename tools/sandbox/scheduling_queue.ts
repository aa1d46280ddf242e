import type { Pod } from "./objects.ts";

/** What may make an unschedulable pod schedulable. `own` is an update of the pod that leaves labels and spec alone. */
export type WakeEvent = "node" | "pod-removed" | "pod-placed" | "own" | "own-spec";

/** A pod in the queue. */
export interface QueuedPod {
  pod: Pod;
  /** When it was first seen, or last put back after a failure; milliseconds. Decides the order among equals. */
  since: number;
  /** Breaks ties of `since`. */
  sequence: number;
  /** Failed attempts, and errors in a row: the back-off doubles with each. */
  refusals: number;
  errors: number;
  /** Whether the extender had a part in the last refusal: it then asks for every event. */
  byExtender: boolean;
  /** End of the back-off, in milliseconds. */
  readyAt: number;
}

/** Back-off in seconds; fractions are fine. */
export interface BackoffOptions {
  podInitialBackoffSeconds?: number;
  podMaxBackoffSeconds?: number;
}

/**
 * kube-scheduler's queue: active, back-off and unschedulable pods. It leaves out the flush of pods that were
 * unschedulable for five minutes.
 */
export class SchedulingQueue {
  #entries = new Map<
    string,
    { entry: QueuedPod; place: "active" | "backoff" | "error" | "asleep" }
  >();
  #gated = new Map<string, QueuedPod>();
  /** Pods in their scheduling cycle, with the events that came meanwhile. */
  #inFlight = new Map<string, Set<WakeEvent>>();
  #initial: number;
  #max: number;
  #sequence = 0;
  #ring: () => void = () => {};
  #closed = false;

  constructor(options: BackoffOptions = {}) {
    this.#initial = (options.podInitialBackoffSeconds ?? 1) * 1000;
    this.#max = (options.podMaxBackoffSeconds ?? 10) * 1000;
  }

  /** Takes in a pod that is not bound: new, or changed. */
  update(pod: Pod, event: "own" | "own-spec"): void {
    const { uid } = pod.metadata;
    const flight = this.#inFlight.get(uid);
    if (flight !== undefined) {
      flight.add(event);
      return;
    }
    const known = this.#entries.get(uid);
    if (known !== undefined) {
      known.entry.pod = pod;
      if (known.place === "asleep" && isWokenBy(known.entry, event)) this.#wake(known.entry);
      return;
    }
    const entry = this.#gated.get(uid) ?? this.#newEntry(pod);
    entry.pod = pod;
    if (pod.spec.schedulingGates?.length) this.#gated.set(uid, entry);
    else {
      this.#gated.delete(uid);
      this.#put(entry, "active");
    }
  }

  /** Takes a pod out: bound, deleted, or on its way out. */
  remove(uid: string): void {
    this.#entries.delete(uid);
    this.#gated.delete(uid);
  }

  /** Wakes the unschedulable pods that this event may help. */
  wake(event: WakeEvent): void {
    for (const events of this.#inFlight.values()) events.add(event);
    for (const { entry, place } of [...this.#entries.values()]) {
      if (place === "asleep" && isWokenBy(entry, event)) this.#wake(entry);
    }
  }

  /** The next pod to schedule, as soon as there is one; undefined after `close`. */
  async pop(): Promise<QueuedPod | undefined> {
    for (;;) {
      if (this.#closed) return undefined;
      const entry = this.#next();
      if (entry !== undefined) {
        this.#entries.delete(entry.pod.metadata.uid);
        this.#inFlight.set(entry.pod.metadata.uid, new Set());
        return entry;
      }
      await this.#change();
    }
  }

  /** The scheduling cycle of a pod ended well: it leaves the queue. */
  done(entry: QueuedPod): void {
    this.#inFlight.delete(entry.pod.metadata.uid);
  }

  /** Puts back a pod that no node took. */
  putUnschedulable(entry: QueuedPod, options: { pod: Pod; byExtender: boolean }): void {
    const events = this.#inFlight.get(entry.pod.metadata.uid) ?? new Set();
    this.#renew(entry, options.pod);
    entry.byExtender = options.byExtender;
    entry.refusals++;
    entry.errors = 0;
    entry.readyAt = entry.since + this.#backoff(entry.refusals);
    // What happened during the cycle was perhaps not seen by it.
    const missed = [...events].some((event) => isWokenBy(entry, event));
    this.#put(entry, missed ? "backoff" : "asleep");
  }

  /** Puts back a pod whose scheduling or binding ended in an error: only time brings it back. */
  putError(entry: QueuedPod, pod: Pod): void {
    this.#renew(entry, pod);
    entry.errors++;
    entry.readyAt = entry.since + this.#backoff(entry.errors);
    this.#put(entry, "error");
  }

  /** Ends `pop`. */
  close(): void {
    this.#closed = true;
    this.#ring();
  }

  #newEntry(pod: Pod): QueuedPod {
    const counts = { refusals: 0, errors: 0, byExtender: false, readyAt: 0 };
    return { pod, since: Date.now(), sequence: this.#sequence++, ...counts };
  }

  #renew(entry: QueuedPod, pod: Pod): void {
    this.#inFlight.delete(pod.metadata.uid);
    entry.pod = pod;
    entry.since = Date.now();
    entry.sequence = this.#sequence++;
  }

  #put(entry: QueuedPod, place: "active" | "backoff" | "error" | "asleep"): void {
    this.#entries.set(entry.pod.metadata.uid, { entry, place });
    this.#ring();
  }

  #wake(entry: QueuedPod): void {
    this.#put(entry, entry.readyAt > Date.now() ? "backoff" : "active");
  }

  #backoff(attempts: number): number {
    return Math.min(this.#initial * 2 ** (attempts - 1), this.#max);
  }

  #next(): QueuedPod | undefined {
    const now = Date.now();
    const active: QueuedPod[] = [];
    const waiting: QueuedPod[] = [];
    for (const { entry, place } of this.#entries.values()) {
      if (place === "active" || (place !== "asleep" && entry.readyAt <= now)) active.push(entry);
      else if (place === "backoff") waiting.push(entry);
    }
    // An idle scheduler does not make pods sit out their back-off, except after an error.
    return active.sort(inOrder)[0] ?? waiting.sort((a, b) => a.readyAt - b.readyAt)[0];
  }

  /** Resolves when the queue changes or the next back-off after an error ends. */
  async #change(): Promise<void> {
    const ends = [...this.#entries.values()].filter(({ place }) => place === "error")
      .map(({ entry }) => entry.readyAt);
    let timer: ReturnType<typeof setTimeout> | undefined;
    await new Promise<void>((resolve) => {
      this.#ring = resolve;
      if (ends.length > 0) {
        timer = setTimeout(resolve, Math.max(0, Math.min(...ends) - Date.now()));
      }
    });
    clearTimeout(timer);
  }
}

function inOrder(a: QueuedPod, b: QueuedPod): number {
  return (b.pod.spec.priority ?? 0) - (a.pod.spec.priority ?? 0) || a.since - b.since ||
    a.sequence - b.sequence;
}

function isWokenBy(entry: QueuedPod, event: WakeEvent): boolean {
  return entry.byExtender || event === "node" || event === "pod-removed" || event === "own-spec";
}
