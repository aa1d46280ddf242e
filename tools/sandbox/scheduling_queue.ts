import { type Pod, priorityOf } from "./objects.ts";

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

type Place = "active" | "backoff" | "error" | "asleep";

/** A pod that was unschedulable for so long is tried again, in milliseconds. */
const flushAfterMs = 300_000;

/** Back-off in seconds; fractions are fine. */
export interface BackoffOptions {
  podInitialBackoffSeconds?: number;
  podMaxBackoffSeconds?: number;
}

/** kube-scheduler's queue: active, back-off and unschedulable pods. */
export class SchedulingQueue {
  #entries = new Map<string, { entry: QueuedPod; place: Place }>();
  #gated = new Map<string, QueuedPod>();
  /** Pods in their scheduling cycle, with the events that came meanwhile. */
  #inFlight = new Map<string, { entry: QueuedPod; events: Set<WakeEvent> }>();
  #initial: number;
  #max: number;
  #isBlocked: (uid: string) => boolean;
  #sequence = 0;
  #ring: () => void = () => {};
  #closed = false;

  /** A pod that is blocked is not woken, and events are not kept for it. */
  constructor(options: BackoffOptions & { isBlocked?: (uid: string) => boolean } = {}) {
    this.#isBlocked = options.isBlocked ?? (() => false);
    this.#initial = (options.podInitialBackoffSeconds ?? 1) * 1000;
    this.#max = (options.podMaxBackoffSeconds ?? 10) * 1000;
  }

  /** Takes in a pod that is not bound: new, or changed in a way that may wake it or, without an event, may not. */
  update(pod: Pod, event?: "own" | "own-spec"): void {
    const { uid } = pod.metadata;
    const flight = this.#inFlight.get(uid);
    if (flight !== undefined) {
      if (event !== undefined) flight.events.add(event);
      return;
    }
    const known = this.#entries.get(uid);
    if (known !== undefined) {
      known.entry.pod = pod;
      const isWoken = event !== undefined && isWokenBy(known.entry, event);
      if (known.place === "asleep" && isWoken) this.#wake(known.entry);
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

  /** Wakes the unschedulable pods, up to a priority, that this event may help. */
  wake(event: WakeEvent, highest = Infinity): void {
    const isMeant = ({ pod }: QueuedPod) => priorityOf(pod) <= highest;
    for (const { entry, events } of this.#inFlight.values()) if (isMeant(entry)) events.add(event);
    for (const { entry, place } of [...this.#entries.values()]) {
      if (place === "asleep" && isMeant(entry) && isWokenBy(entry, event)) this.#wake(entry);
    }
  }

  /** Where a pod stands. */
  placeOf(uid: string): Place | "gated" | "unknown" {
    return this.#entries.get(uid)?.place ?? (this.#gated.has(uid) ? "gated" : "unknown");
  }

  /** Resolves to true as soon as there is a pod to schedule, and to false after `close`. */
  async ready(): Promise<boolean> {
    while (!this.#closed && this.#next() === undefined) await this.#change();
    return !this.#closed;
  }

  /** The next pod to schedule, if there is one. */
  pop(): QueuedPod | undefined {
    const entry = this.#next();
    if (entry === undefined) return undefined;
    const { uid } = entry.pod.metadata;
    this.#entries.delete(uid);
    this.#inFlight.set(uid, { entry, events: new Set() });
    return entry;
  }

  /** The scheduling cycle of a pod ended well: it leaves the queue. */
  done(entry: QueuedPod): void {
    this.#inFlight.delete(entry.pod.metadata.uid);
  }

  /** Puts back a pod that no node took. */
  putUnschedulable(entry: QueuedPod, options: { pod: Pod; byExtender: boolean }): void {
    const { events = [] } = this.#inFlight.get(entry.pod.metadata.uid) ?? {};
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

  /** Ends `ready`. */
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

  #put(entry: QueuedPod, place: Place): void {
    const { uid } = entry.pod.metadata;
    this.#entries.set(uid, { entry, place: this.#isBlocked(uid) ? "asleep" : place });
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
    let next: QueuedPod | undefined;
    let early: QueuedPod | undefined;
    for (const { entry, place } of this.#entries.values()) {
      if (place === "active" || this.#dueAt(entry, place) <= now) {
        if (next === undefined || inOrder(entry, next) < 0) next = entry;
      } else if (place === "backoff" && (early === undefined || entry.readyAt < early.readyAt)) {
        early = entry;
      }
    }
    // An idle scheduler does not make pods sit out their back-off, except after an error.
    return next ?? early;
  }

  /** When time alone makes a pod active. */
  #dueAt(entry: QueuedPod, place: Place): number {
    if (place !== "asleep") return entry.readyAt;
    // The extender must not leave it to time.
    const isFlushed = !entry.byExtender && !this.#isBlocked(entry.pod.metadata.uid);
    return isFlushed ? entry.since + flushAfterMs : Infinity;
  }

  /** Resolves when the queue changes, or time alone makes a pod active. */
  async #change(): Promise<void> {
    const due = [...this.#entries.values()].map(({ entry, place }) => this.#dueAt(entry, place));
    const first = Math.min(...due);
    let timer: ReturnType<typeof setTimeout> | undefined;
    await new Promise<void>((resolve) => {
      this.#ring = resolve;
      if (first < Infinity) timer = setTimeout(resolve, Math.max(0, first - Date.now()));
    });
    clearTimeout(timer);
  }
}

function inOrder(a: QueuedPod, b: QueuedPod): number {
  return priorityOf(b.pod) - priorityOf(a.pod) || a.since - b.since ||
    a.sequence - b.sequence;
}

function isWokenBy(entry: QueuedPod, event: WakeEvent): boolean {
  return entry.byExtender || event === "node" || event === "pod-removed" || event === "own-spec";
}
