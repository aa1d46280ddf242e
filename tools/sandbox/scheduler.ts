import { isDeepStrictEqual } from "node:util";
import { inTime } from "../../shared/http/shut_down.ts";
import { callApi } from "./api_client.ts";
import { ExtenderClient, type FilterAnswer, type Victims } from "./extender_client.ts";
import { assertKnownConstraints, type Refusal, scoreOf, whyNot } from "./node_fit.ts";
import { type NodeRoom, NodeRooms } from "./node_rooms.ts";
import { isOver, type Node, objectKey, type Pod } from "./objects.ts";
import { PodReports } from "./pod_reports.ts";
import { findVictims, mayPreempt, pickNode, priorityOf } from "./preemption.ts";
import { Reflector } from "./reflector.ts";
import { type BackoffOptions, type QueuedPod, SchedulingQueue } from "./scheduling_queue.ts";

/** What a scheduler is started with. */
export interface SchedulerOptions extends BackoffOptions {
  /** Base URL of the API server, plain HTTP. */
  apiUrl: string;
  /** Prefix of the extender's verbs; without one the scheduler binds by itself. */
  extenderUrl?: string;
  /** Timeouts of extender calls in seconds, default 5 and 60. */
  filterTimeoutSeconds?: number;
  bindTimeoutSeconds?: number;
}

/** The names under which pods ask for this scheduler. */
const SCHEDULER_NAMES = ["default-scheduler", "muster"];

/** What one scheduling cycle found. */
interface Finding {
  node?: string;
  refusals: Map<string, Refusal>;
  byExtender: boolean;
}

/**
 * A scheduler loop that behaves as kube-scheduler does towards an extender: one pod after another is filtered,
 * scored and assumed, and bound at the side while the next ones are scheduled.
 */
export class Scheduler {
  #options: SchedulerOptions;
  #abort = new AbortController();
  #queue: SchedulingQueue;
  #rooms = new NodeRooms();
  #pods: Reflector<Pod>;
  #nodes: Reflector<Node>;
  #reports: PodReports;
  #extender: ExtenderClient | undefined;
  #nominations = new Map<string, { pod: Pod; node: string }>();
  #bindings = new Set<Promise<void>>();
  #loops: Promise<void>[] = [];

  constructor(options: SchedulerOptions) {
    const { apiUrl, extenderUrl } = options;
    const { signal } = this.#abort;
    this.#options = options;
    this.#queue = new SchedulingQueue(options);
    this.#reports = new PodReports(apiUrl, signal);
    this.#extender = extenderUrl === undefined
      ? undefined
      : new ExtenderClient({ ...options, url: extenderUrl, signal });
    this.#nodes = new Reflector<Node>(`${apiUrl}/api/v1/nodes`, {
      signal,
      onChange: (change) => this.#onNode(change),
    });
    this.#pods = new Reflector<Pod>(`${apiUrl}/api/v1/pods`, {
      signal,
      onChange: (change) => this.#onPod(change),
    });
  }

  /** Reads the cluster and starts to schedule. */
  async start(): Promise<void> {
    const nodes = await this.#nodes.start();
    const pods = await this.#pods.start();
    this.#loops = [nodes.done, pods.done, this.#run()];
  }

  /** Stops at once: open extender calls are aborted and nothing more is written, as when the process is killed. */
  async stop(): Promise<void> {
    this.#abort.abort();
    this.#queue.close();
    await inTime(Promise.all([...this.#loops, ...this.#bindings]));
  }

  #onNode({ now, before }: { now?: Node; before?: Node }): void {
    if (now === undefined) {
      if (before !== undefined) this.#rooms.removeNode(before.metadata.name);
      return;
    }
    this.#rooms.setNode(now);
    // A heartbeat wakes nobody.
    const relevant = (node: Node | undefined) => [
      node?.spec,
      node?.metadata.labels,
      node?.status.allocatable,
    ];
    if (!isDeepStrictEqual(relevant(now), relevant(before))) this.#queue.wake("node");
  }

  #onPod({ now, before }: { now?: Pod; before?: Pod }): void {
    const uid = (now ?? before)?.metadata.uid ?? "";
    if (now === undefined || isOver(now)) {
      this.#queue.remove(uid);
      this.#nominations.delete(uid);
      // Nobody is told that an assumed pod is gone: its bind call is still open.
      if (this.#rooms.isAssumed(uid) && !before?.spec.nodeName) this.#rooms.forget(uid);
      else if (this.#rooms.remove(uid)) this.#queue.wake("pod-removed");
      return;
    }
    if (now.spec.nodeName) {
      this.#queue.remove(uid);
      this.#nominations.delete(uid);
      this.#rooms.confirm(now, now.spec.nodeName);
      this.#queue.wake("pod-placed");
      return;
    }
    const { nominatedNodeName } = now.status;
    if (nominatedNodeName) this.#nominations.set(uid, { pod: now, node: nominatedNodeName });
    else this.#nominations.delete(uid);
    if (!SCHEDULER_NAMES.includes(now.spec.schedulerName ?? "")) return;
    if (now.metadata.deletionTimestamp !== undefined) this.#queue.remove(uid);
    else if (!this.#rooms.isAssumed(uid)) {
      const relevant = (pod: Pod | undefined) => [pod?.spec, pod?.metadata.labels];
      const same = isDeepStrictEqual(relevant(now), relevant(before));
      this.#queue.update(now, same ? "own" : "own-spec");
    }
  }

  async #run(): Promise<void> {
    for (;;) {
      const entry = await this.#queue.pop();
      if (entry === undefined) return;
      await this.#schedule(entry);
    }
  }

  async #schedule(entry: QueuedPod): Promise<void> {
    // The newest form of the pod, or nothing to do.
    const pod = this.#current(entry);
    if (pod === undefined) return this.#queue.done(entry);
    try {
      assertKnownConstraints(pod);
      const finding = await this.#findNode(pod);
      if (finding.node === undefined) return await this.#onRefused(entry, { pod, finding });
      // Gone while the extender was asked.
      if (this.#current(entry) === undefined) return this.#queue.done(entry);
      this.#rooms.assume(pod, finding.node);
      this.#queue.done(entry);
      const binding = this.#bind(entry, { pod, node: finding.node });
      this.#bindings.add(binding);
      binding.finally(() => this.#bindings.delete(binding));
    } catch (error) {
      await this.#onError(entry, error);
    }
  }

  async #findNode(pod: Pod): Promise<Finding> {
    const nominated = this.#rooms.get(pod.status.nominatedNodeName ?? "");
    if (nominated !== undefined) {
      const finding = await this.#tryNodes(pod, [nominated]);
      if (finding.node !== undefined) return finding;
    }
    return await this.#tryNodes(pod, this.#rooms.values());
  }

  async #tryNodes(pod: Pod, rooms: NodeRoom[]): Promise<Finding> {
    const refusals = new Map<string, Refusal>();
    let left = rooms.filter((room) => {
      const refusal = whyNot(pod, { room, others: this.#othersOn(room, pod) });
      if (refusal !== undefined) refusals.set(room.node.metadata.name, refusal);
      return refusal === undefined;
    });
    let byExtender = false;
    // The extender is asked only while a node is left.
    if (this.#extender !== undefined && left.length > 0) {
      const answer = await this.#extender.filter(pod, left.map((room) => room.node.metadata.name));
      byExtender = answer.nodeNames.length < left.length;
      left = left.filter((room) => answer.nodeNames.includes(room.node.metadata.name));
      addRefusals(refusals, answer);
    }
    const best = left.map((room) => ({ room, score: scoreOf(pod, room) }))
      .reduce<{ room: NodeRoom; score: number } | undefined>(
        (one, other) => one === undefined || other.score > one.score ? other : one,
        undefined,
      );
    const node = best?.room.node.metadata.name;
    return { refusals, byExtender, ...(node === undefined ? {} : { node }) };
  }

  /** The pods on a node, with those of at least this pod's priority that are nominated to it. */
  #othersOn(room: NodeRoom, pod: Pod): Pod[] {
    const nominated = [...this.#nominations.values()].filter((one) =>
      one.node === room.node.metadata.name && one.pod.metadata.uid !== pod.metadata.uid &&
      !room.pods.has(one.pod.metadata.uid) && priorityOf(one.pod) >= priorityOf(pod)
    );
    return [...room.pods.values(), ...nominated.map((one) => one.pod)];
  }

  async #onRefused(entry: QueuedPod, found: { pod: Pod; finding: Finding }): Promise<void> {
    const { pod, finding } = found;
    const message = fitMessage(this.#rooms.values().length, finding.refusals);
    const nominate = await this.#preempt(pod, finding.refusals);
    const now = this.#current(entry);
    if (now === undefined) return this.#queue.done(entry);
    // First back into the queue, then the report: its own echo must find the pod there.
    this.#queue.putUnschedulable(entry, { pod: now, byExtender: finding.byExtender });
    await this.#reports.event(pod, { type: "Warning", reason: "FailedScheduling", note: message });
    await this.#reports.notScheduled(pod, {
      reason: "Unschedulable",
      message,
      ...(nominate === undefined ? {} : { nominate }),
    });
  }

  /** Makes room for the pod: the node it is nominated to, "" for none, undefined to leave that as it is. */
  async #preempt(pod: Pod, refusals: Map<string, Refusal>): Promise<string | undefined> {
    const rooms = this.#rooms.values();
    if (!mayPreempt(pod, rooms)) return undefined;
    const resolvable = rooms.filter((room) => refusals.get(room.node.metadata.name)?.resolvable);
    let victims: Victims = findVictims(pod, resolvable);
    if (this.#extender !== undefined && Object.keys(victims).length > 0) {
      victims = await this.#extender.preempt(pod, victims);
    }
    const pick = pickNode(victims, rooms);
    if (pick === undefined) return "";
    const node = pick.room.node.metadata.name;
    this.#nominations.set(pod.metadata.uid, { pod, node });
    for (const victim of pick.victims) await this.#reports.evict(victim, pod);
    return node;
  }

  async #bind(entry: QueuedPod, decision: { pod: Pod; node: string }): Promise<void> {
    const { pod, node } = decision;
    const { namespace, name, uid } = pod.metadata;
    try {
      if (this.#extender !== undefined) await this.#extender.bind(pod, node);
      else {
        await callApi(
          `${this.#options.apiUrl}/api/v1/namespaces/${namespace}/pods/${name}/binding`,
          {
            method: "POST",
            body: {
              apiVersion: "v1",
              kind: "Binding",
              metadata: { namespace, name, uid },
              target: { kind: "Node", name: node },
            },
            signal: this.#abort.signal,
          },
        );
      }
    } catch (error) {
      if (this.#abort.signal.aborted) return;
      this.#rooms.forget(uid);
      this.#queue.wake("pod-removed");
      await this.#onError(entry, error);
      return;
    }
    const note = `Successfully assigned ${namespace}/${name} to ${node}`;
    await this.#reports.event(pod, { type: "Normal", reason: "Scheduled", note });
  }

  async #onError(entry: QueuedPod, error: unknown): Promise<void> {
    if (this.#abort.signal.aborted) return;
    const message = error instanceof Error ? error.message : String(error);
    const pod = this.#current(entry);
    // Deleted, or bound although the answer was lost.
    if (pod === undefined) return this.#queue.done(entry);
    this.#queue.putError(entry, pod);
    await this.#reports.event(pod, { type: "Warning", reason: "FailedScheduling", note: message });
    await this.#reports.notScheduled(pod, { reason: "SchedulerError", message });
  }

  /** The queued pod as it is now, unless it is gone, bound or on its way out. */
  #current(entry: QueuedPod): Pod | undefined {
    const pod = this.#pods.get(objectKey(entry.pod));
    const same = pod?.metadata.uid === entry.pod.metadata.uid;
    const open = same && !pod.spec.nodeName && pod.metadata.deletionTimestamp === undefined;
    return open ? pod : undefined;
  }
}

function addRefusals(refusals: Map<string, Refusal>, answer: FilterAnswer): void {
  for (const [node, reason] of Object.entries(answer.failed)) {
    refusals.set(node, { reasons: [reason], resolvable: true });
  }
  for (const [node, reason] of Object.entries(answer.unresolvable)) {
    refusals.set(node, { reasons: [reason], resolvable: false });
  }
}

/** kube-scheduler's sentence: `0/2 nodes are available: 2 Insufficient nvidia.com/gpu.` */
function fitMessage(nodes: number, refusals: Map<string, Refusal>): string {
  if (nodes === 0) return "no nodes available to schedule pods";
  const counts = new Map<string, number>();
  for (const { reasons } of refusals.values()) {
    for (const reason of reasons) counts.set(reason, (counts.get(reason) ?? 0) + 1);
  }
  const parts = [...counts].map(([reason, count]) => `${count} ${reason}`).sort();
  return `0/${nodes} nodes are available: ${parts.join(", ")}.`;
}
