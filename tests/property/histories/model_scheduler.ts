import type {
  ExtenderBindingResult,
  ExtenderFilterResult,
} from "../../../shared/kubernetes/extender.ts";
import type { Pod } from "../../../shared/kubernetes/types.ts";
import type { Change } from "../../../tools/sandbox/object_store.ts";
import { ModelPreemption, type PreemptionWorld } from "./model_preemption.ts";
import { isActive, type NodeSpace } from "./room.ts";
import { SchedulerView } from "./scheduler_view.ts";

/** A bind call that is not answered yet. */
export interface BindCall {
  readonly pod: Pod;
  readonly node: string;
  readonly openedAt: number;
  readonly abort: AbortController;
}

/** What a scheduler works with. */
export interface SchedulerWorld extends PreemptionWorld {
  /** UIDs of the pods that its own plugins refuse, whatever room there is. */
  readonly refuses: ReadonlySet<string>;
  /** How late its watches are, and how long its plugins take before they bind, in ms. */
  readonly lag: () => number;
  readonly preBindMs: () => number;
  /** It gives up a call of the extender after this time, in ms. */
  readonly httpTimeoutMs: number;
  /** A bind call was answered. */
  readonly answered: (call: BindCall, error: string | undefined) => void;
}

const cycleMs = 1;
const firstBackoffMs = 1000;
const longestBackoffMs = 3000;
const flushEveryMs = 30_000;
const flushAfterMs = 300_000;

interface Queued {
  attempts: number;
  since: number;
  /** When the last attempt failed. */
  failedAt: number;
  /** Which events can help it. */
  refusedBy: "nobody" | "plugins" | "extender" | "error";
}

type Event = "assigned" | "unassigned" | "node" | "any";

/** kube-scheduler, as far as a relay can tell: its queue, its cycle, its bindings, and preemption. */
export class ModelScheduler {
  /** By UID. */
  readonly calls = new Map<string, BindCall>();
  readonly #world: SchedulerWorld;
  readonly #queued = new Map<string, Queued>();
  readonly #active = new Set<string>();
  readonly #backingOff = new Map<string, number>();
  readonly #unschedulable = new Set<string>();
  readonly #view: SchedulerView;
  readonly #preemption: ModelPreemption;
  #cycleTimer: number | undefined;
  #backoffTimer: number | undefined;
  #flushTimer: number | undefined;
  /** Events since the running cycle began. */
  #eventsInCycle: Set<Event> | undefined;
  /** The pod of the running cycle. */
  #tried: string | undefined;
  #isStopped = false;

  constructor(world: SchedulerWorld) {
    this.#world = world;
    const told = (change: Change) => this.#happened(change);
    this.#view = new SchedulerView(world.api, { ...world, told });
    this.#preemption = new ModelPreemption(world, this.#view);
    for (const pod of this.#view.pods.values()) this.#add(pod);
  }

  /** Its process ends: every open call is dropped. */
  stop(): void {
    this.#isStopped = true;
    this.#view.stop();
    this.#preemption.stop();
    for (const timer of [this.#cycleTimer, this.#backoffTimer, this.#flushTimer]) {
      this.#world.clock.clear(timer);
    }
    const calls = [...this.calls.values()];
    this.calls.clear();
    for (const { abort } of calls) abort.abort();
  }

  /** Something changed that only its own plugins know of. */
  pluginsChanged(): void {
    this.#move("any");
  }

  /** Where a pod stands in its queue. */
  placeOf(uid: string): string {
    if (this.calls.has(uid)) return "binding";
    if (this.#active.has(uid)) return "active";
    if (this.#backingOff.has(uid)) return "backing off";
    return this.#unschedulable.has(uid) ? "unschedulable" : "unknown";
  }

  #happened(change: Change): void {
    const isGone = change.type === "DELETED";
    if (change.storage === "nodes" && !isGone) this.#move("node");
    if (change.storage !== "pods") return;
    const pod = change.object as unknown as Pod;
    const before = change.previous as Pod | undefined;
    const { uid } = pod.metadata;
    if (isGone) {
      this.#forget(uid);
      if (pod.spec.nodeName) this.#move("unassigned");
    } else if (pod.spec.nodeName) {
      const isNew = !before?.spec.nodeName;
      if (isNew) this.#forget(uid);
      if (isNew) this.#move("assigned");
      else if (before && isActive(before) && !isActive(pod)) this.#move("unassigned");
    } else if (!before || (isGated(before) && !isGated(pod))) this.#add(pod);
    else {
      if (before.metadata.annotations !== pod.metadata.annotations) this.#wake(uid);
      const { nominatedNodeName } = before.status ?? {};
      if (nominatedNodeName && nominatedNodeName !== pod.status?.nominatedNodeName) {
        // It counted as if it were there, for all but those of a higher priority.
        this.#move("unassigned", pod.spec.priority);
      }
    }
  }

  #add(pod: Pod): void {
    if (pod.spec.nodeName || isGated(pod)) return;
    const { uid } = pod.metadata;
    const since = this.#world.clock.now;
    this.#queued.set(uid, { attempts: 0, since, failedAt: 0, refusedBy: "nobody" });
    this.#active.add(uid);
    this.#runSoon();
  }

  #forget(uid: string): void {
    this.#queued.delete(uid);
    this.#active.delete(uid);
    this.#backingOff.delete(uid);
    this.#unschedulable.delete(uid);
  }

  /** The cluster changed: pods that it may help are tried again. */
  #move(event: Event, highest = Infinity): void {
    const isMeant = (uid: string) => (this.#view.pods.get(uid)?.spec.priority ?? 0) <= highest;
    if (this.#tried !== undefined && isMeant(this.#tried)) this.#eventsInCycle?.add(event);
    for (const uid of [...this.#unschedulable]) {
      if (isMeant(uid) && helps(event, this.#queued.get(uid)!)) this.#wake(uid);
    }
  }

  #wake(uid: string): void {
    if (uid === this.#tried) this.#eventsInCycle?.add("any");
    if (this.#preemption.isEvicting(uid)) return;
    if (this.#unschedulable.delete(uid)) this.#backOff(uid);
  }

  #backOff(uid: string): void {
    const queued = this.#queued.get(uid)!;
    const doubled = firstBackoffMs * 2 ** Math.max(0, queued.attempts - 1);
    const until = queued.failedAt + Math.min(longestBackoffMs, doubled);
    if (until <= this.#world.clock.now) this.#active.add(uid);
    else this.#backingOff.set(uid, until);
    this.#runSoon();
  }

  #runSoon(): void {
    if (this.#isStopped || this.#eventsInCycle) return;
    const { clock } = this.#world;
    clock.clear(this.#backoffTimer);
    if (this.#active.size > 0) {
      this.#cycleTimer ??= clock.set(() => {
        this.#cycleTimer = undefined;
        void this.#cycle();
      }, cycleMs);
    } else if (this.#backingOff.size > 0) {
      // What an error sent to back off stays there; the rest may be tried early where nothing else is to be done.
      const isEarly = [...this.#backingOff.keys()]
        .some((uid) => this.#queued.get(uid)!.refusedBy !== "error");
      const due = isEarly ? clock.now + cycleMs : Math.min(...this.#backingOff.values());
      this.#backoffTimer = clock.set(() => this.#endBackoffs(), due - clock.now);
    }
  }

  #endBackoffs(): void {
    const { now } = this.#world.clock;
    for (const [uid, until] of [...this.#backingOff]) {
      if (until <= now) this.#activate(uid);
    }
    if (this.#active.size === 0) {
      const [first] = [...this.#backingOff]
        .filter(([uid]) => this.#queued.get(uid)!.refusedBy !== "error")
        .sort(([, a], [, b]) => a - b);
      if (first) this.#activate(first[0]);
    }
    this.#runSoon();
  }

  #activate(uid: string): void {
    this.#backingOff.delete(uid);
    this.#active.add(uid);
  }

  #flushSoon(): void {
    const { clock } = this.#world;
    if (this.#flushTimer !== undefined || this.#isStopped || this.#unschedulable.size === 0) return;
    this.#flushTimer = clock.set(() => {
      this.#flushTimer = undefined;
      for (const uid of [...this.#unschedulable]) {
        const { failedAt, refusedBy } = this.#queued.get(uid)!;
        // Whom the relay has refused it must not leave to this.
        if (refusedBy !== "extender" && clock.now - failedAt > flushAfterMs) this.#wake(uid);
      }
      this.#flushSoon();
    }, flushEveryMs);
  }

  async #cycle(): Promise<void> {
    for (const [uid, until] of [...this.#backingOff]) {
      if (until <= this.#world.clock.now) this.#activate(uid);
    }
    if (this.#active.size === 0) return this.#runSoon();
    const uid = this.#first();
    this.#active.delete(uid);
    const events = this.#eventsInCycle = new Set<Event>();
    this.#tried = uid;
    const queued = this.#queued.get(uid)!;
    queued.attempts++;
    const refusal = await this.#schedule(this.#view.pods.get(uid)!);
    this.#eventsInCycle = undefined;
    if (this.#isStopped) return;
    if (refusal && this.#queued.has(uid)) this.#failed(uid, { refusal, events });
    this.#runSoon();
  }

  /** Priority, then time in the queue. */
  #first(): string {
    const place = (uid: string) => ({
      uid,
      priority: this.#view.pods.get(uid)!.spec.priority ?? 0,
      since: this.#queued.get(uid)!.since,
    });
    return [...this.#active].map(place)
      .reduce((a, b) =>
        a.priority > b.priority || (a.priority === b.priority && a.since <= b.since) ? a : b
      )
      .uid;
  }

  #failed(uid: string, { refusal, events }: { refusal: Refusal; events: Set<Event> }): void {
    const { api, clock } = this.#world;
    const queued = this.#queued.get(uid)!;
    const isError = refusal.by === "error";
    queued.refusedBy = refusal.by;
    queued.failedAt = clock.now;
    queued.since = clock.now;
    const isHelped = isError || [...events].some((event) => helps(event, queued));
    if (isHelped && !this.#preemption.isEvicting(uid)) this.#backOff(uid);
    else this.#unschedulable.add(uid);
    this.#flushSoon();
    api.setUnscheduled(uid, {
      reason: isError ? "SchedulerError" : "Unschedulable",
      message: refusal.message,
      nominated: isError ? "" : refusal.nominated,
    });
  }

  async #schedule(pod: Pod): Promise<Refusal | undefined> {
    const spaces = this.#view.spaces(pod);
    const isRefused = this.#world.refuses.has(pod.metadata.uid);
    const full = new Map([...spaces].filter(([, space]) => isRefused || !space.takes(pod)));
    const feasible = [...spaces.keys()].filter((name) => !full.has(name));
    const noRoom = `0/${spaces.size} nodes are available: no room.`;
    if (isRefused) return { by: "plugins", message: noRoom, nominated: "" };
    if (feasible.length === 0) {
      return await this.#preempt(pod, full, { by: "plugins", message: noRoom });
    }
    const { nominatedNodeName } = pod.status ?? {};
    let filtered: ExtenderFilterResult | undefined;
    try {
      if (nominatedNodeName !== undefined && feasible.includes(nominatedNodeName)) {
        filtered = await this.#filter(pod, [nominatedNodeName]);
      }
      if (!filtered?.NodeNames.length) filtered = await this.#filter(pod, feasible);
    } catch (error) {
      return { by: "error", message: (error as Error).message };
    }
    if (filtered.Error) return { by: "error", message: filtered.Error };
    if (filtered.NodeNames.length === 0) {
      const [sentence] = Object.values(filtered.FailedAndUnresolvableNodes ?? {});
      const message = `0/${spaces.size} nodes are available: ${sentence}.`;
      return await this.#preempt(pod, full, { by: "extender", message });
    }
    if (this.#isStopped || !this.#queued.has(pod.metadata.uid)) return undefined;
    void this.#bind(pod, this.#world.chance.pick(filtered.NodeNames)!);
    return undefined;
  }

  async #filter(Pod: Pod, NodeNames: string[]): Promise<ExtenderFilterResult> {
    return await this.#world.call("filter", { Pod, NodeNames }) as ExtenderFilterResult;
  }

  /** Preemption may help on the nodes that have no room; what the extender refuses it does not change. */
  async #preempt(pod: Pod, full: Map<string, NodeSpace>, refusal: Refusal): Promise<Refusal> {
    const { message, ...nomination } = await this.#preemption.preempt(pod, full);
    const why = message && ` preemption: ${message}`;
    return { ...refusal, ...nomination, message: `${refusal.message}${why}` };
  }

  async #bind(pod: Pod, node: string): Promise<void> {
    const { clock, call, answered, httpTimeoutMs, preBindMs } = this.#world;
    const { uid, name, namespace } = pod.metadata;
    this.#view.assume(pod, node);
    if (preBindMs() > 0) await clock.sleep(preBindMs());
    if (this.#isStopped) return;
    const bindCall = { pod, node, openedAt: clock.now, abort: new AbortController() };
    this.calls.set(uid, bindCall);
    const timer = clock.set(() => bindCall.abort.abort(), httpTimeoutMs);
    let error: string | undefined;
    try {
      const args = { PodName: name, PodNamespace: namespace, PodUID: uid, Node: node };
      const result = await call("bind", args, bindCall.abort.signal) as ExtenderBindingResult;
      error = result.Error;
    } catch (thrown) {
      error = (thrown as Error).message;
    }
    clock.clear(timer);
    if (this.#isStopped) return;
    answered(bindCall, error);
    if (this.calls.get(uid) === bindCall) this.calls.delete(uid);
    // Until the watch shows it, a pod that was bound stays assumed.
    if (error === undefined) return;
    this.#view.forget(uid);
    if (this.#queued.has(uid)) {
      this.#failed(uid, { refusal: { by: "error", message: error }, events: new Set() });
    }
    this.#move("unassigned");
  }
}

interface Refusal {
  readonly by: "plugins" | "extender" | "error";
  readonly message: string;
  /** Where it is to go now; "": nowhere; absent: as before. */
  readonly nominated?: string;
}

function isGated({ spec }: Pod): boolean {
  return (spec.schedulingGates?.length ?? 0) > 0;
}

function helps(event: Event, { refusedBy }: Queued): boolean {
  return event !== "assigned" || refusedBy === "extender";
}
