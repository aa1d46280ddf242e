import { isDeepStrictEqual } from "node:util";
import { inTime } from "../../shared/http/shut_down.ts";
import { Extender } from "./extender_client.ts";
import { fitMessage } from "./fit_message.ts";
import { assertKnownConstraints, type NodeRoom, type Refusal } from "./node_room.ts";
import { isOver, type Node, type Pod, priorityOf } from "./objects.ts";
import type { Change } from "./object_store.ts";
import { PodReports } from "./pod_reports.ts";
import { Preemption, type PreemptionEnd } from "./preemption.ts";
import type { BindCall, SchedulerOptions } from "./scheduler_options.ts";
import { SchedulerView } from "./scheduler_view.ts";
import { type QueuedPod, SchedulingQueue } from "./scheduling_queue.ts";
import { sleep } from "../sleep.ts";

/** The names under which pods ask for this scheduler. */
const schedulerNames = ["default-scheduler", "muster"];
const cycleMs = 1;
const refusedByPlugin = { reasons: ["node(s) didn't satisfy a plugin"], resolvable: false };

/** What one scheduling cycle found. */
interface Finding {
  node?: string;
  refusals: Map<string, Refusal>;
  byExtender: boolean;
}

/**
 * A scheduler loop that behaves as kube-scheduler does towards an extender: one pod after another is filtered, scored and assumed,
 * and bound at the side while the next ones are scheduled. It goes by whatever clock is installed.
 */
export class Scheduler {
  /** By UID. */
  readonly calls = new Map<string, BindCall>();
  readonly #options: SchedulerOptions;
  readonly #queue: SchedulingQueue;
  readonly #view: SchedulerView;
  readonly #reports: PodReports;
  readonly #extender: Extender | undefined;
  readonly #preemption: Preemption;
  readonly #bindings = new Set<Promise<void>>();
  readonly #running: Promise<void>;
  #isStopped = false;

  /** Reads the cluster and starts to schedule. */
  constructor(options: SchedulerOptions) {
    const { api, call, pick, lagMs = () => 0, pauseMs = () => 0 } = options;
    this.#options = options;
    this.#reports = new PodReports(api);
    this.#extender = call && new Extender(call, options);
    this.#view = new SchedulerView(api.store, { lagMs, told: (change) => this.#told(change) });
    this.#preemption = new Preemption({
      view: this.#view,
      extender: this.#extender,
      pick,
      pauseMs,
      evict: (victim, preemptor) => this.#evict(victim, preemptor),
    });
    const isBlocked = (uid: string) => this.#preemption.isEvicting(uid);
    this.#queue = new SchedulingQueue({ ...options, isBlocked });
    for (const pod of this.#view.pods.values()) this.#offer(pod, undefined);
    this.#running = this.#run();
  }

  /** Stops at once: open extender calls are aborted and nothing more is written, as when the process is killed. */
  async stop(): Promise<void> {
    this.#isStopped = true;
    this.#view.stop();
    this.#queue.close();
    this.calls.clear();
    this.#extender?.stop();
    await inTime(Promise.all([this.#running, ...this.#bindings]));
  }

  /** Something changed that only its own plugins know of. */
  pluginsChanged(): void {
    this.#queue.wake("node");
  }

  /** Where a pod stands in its queue. */
  placeOf(uid: string): string {
    return this.calls.has(uid) ? "binding" : this.#queue.placeOf(uid);
  }

  #told({ storage, type, object, previous }: Change): void {
    if (storage === "pods") this.#podChanged(object as Pod, { type, before: previous as Pod });
    else if (type !== "DELETED" && isOtherNode(object as Node, previous as Node | undefined)) {
      this.#queue.wake("node");
    }
  }

  #podChanged(
    pod: Pod,
    { type, before }: { type: Change["type"]; before: Pod | undefined },
  ): void {
    const { uid } = pod.metadata;
    if (type === "DELETED") {
      this.#queue.remove(uid);
      // Nobody is told that an assumed pod is gone: its bind call is still open.
      if (pod.spec.nodeName) this.#queue.wake("pod-removed");
      else if (pod.status.nominatedNodeName && !this.#view.isAssumed(uid)) this.#unnominated(pod);
      return;
    }
    if (pod.spec.nodeName) {
      this.#queue.remove(uid);
      if (!before?.spec.nodeName) this.#queue.wake("pod-placed");
      else if (!isOver(before) && isOver(pod)) this.#queue.wake("pod-removed");
      return;
    }
    this.#offer(pod, before);
    const nominated = before?.status.nominatedNodeName;
    if (nominated && nominated !== pod.status.nominatedNodeName) this.#unnominated(pod);
  }

  /** A nominated pod counts as if it were there, for all but those of a higher priority. */
  #unnominated(pod: Pod): void {
    this.#queue.wake("pod-removed", priorityOf(pod));
  }

  #offer(pod: Pod, before: Pod | undefined): void {
    const { uid, deletionTimestamp } = pod.metadata;
    if (pod.spec.nodeName || !schedulerNames.includes(pod.spec.schedulerName ?? "")) return;
    if (deletionTimestamp !== undefined || isOver(pod)) return this.#queue.remove(uid);
    if (this.#view.isAssumed(uid)) return;
    const { statusWakes = true } = this.#options;
    const isOther = pod.spec !== before?.spec && !isDeepStrictEqual(pod.spec, before?.spec);
    const { labels, annotations } = pod.metadata;
    if (isOther || !isDeepStrictEqual(labels, before?.metadata.labels)) {
      this.#queue.update(pod, "own-spec");
    } else if (statusWakes || annotations !== before?.metadata.annotations) {
      this.#queue.update(pod, "own");
    } else this.#queue.update(pod);
  }

  async #run(): Promise<void> {
    while (await this.#queue.ready()) {
      await sleep(cycleMs);
      const entry = this.#isStopped ? undefined : this.#queue.pop();
      if (entry !== undefined) await this.#schedule(entry);
    }
  }

  async #schedule(entry: QueuedPod): Promise<void> {
    const { uid } = entry.pod.metadata;
    const pod = this.#view.open(uid);
    if (pod === undefined) return this.#queue.done(entry);
    try {
      assertKnownConstraints(pod);
      const rooms = this.#view.rooms(pod);
      const finding = await this.#findNode(pod, rooms);
      const { node } = finding;
      if (this.#isStopped) return;
      if (node === undefined) return await this.#refused(entry, { pod, rooms, finding });
      // Gone while the extender was asked.
      if (this.#view.open(uid) === undefined) return this.#queue.done(entry);
      this.#view.assume(pod, node);
      this.#queue.done(entry);
      const binding = this.#bind(entry, { pod, node });
      this.#bindings.add(binding);
      void binding.finally(() => this.#bindings.delete(binding));
    } catch (error) {
      this.#failed(entry, (error as Error).message);
    }
  }

  async #findNode(pod: Pod, rooms: ReadonlyMap<string, NodeRoom>): Promise<Finding> {
    const nominated = rooms.get(pod.status.nominatedNodeName ?? "");
    if (nominated !== undefined) {
      const finding = await this.#tryNodes(pod, [nominated]);
      if (finding.node !== undefined) return finding;
    }
    return await this.#tryNodes(pod, [...rooms.values()]);
  }

  async #tryNodes(pod: Pod, rooms: readonly NodeRoom[]): Promise<Finding> {
    const { pick, refuses } = this.#options;
    const refusals = new Map<string, Refusal>();
    let left = rooms.filter((room) => {
      const refusal = refuses?.has(pod.metadata.uid) ? refusedByPlugin : room.whyNot(pod);
      if (refusal !== undefined) refusals.set(room.node.metadata.name, refusal);
      return refusal === undefined;
    });
    let byExtender = false;
    // The extender is asked only while a node is left.
    if (this.#extender !== undefined && left.length > 0) {
      const answer = await this.#extender.filter(pod, left.map((room) => room.node.metadata.name));
      byExtender = answer.nodeNames.length < left.length;
      left = left.filter((room) => answer.nodeNames.includes(room.node.metadata.name));
      for (const [node, refusal] of answer.refusals) refusals.set(node, refusal);
    }
    if (left.length === 0) return { refusals, byExtender };
    const scored = (room: NodeRoom) => ({ name: room.node.metadata.name, score: room.score(pod) });
    const node = pick
      ? pick(left.map((room) => room.node.metadata.name))
      : left.map(scored).reduce((one, other) => other.score > one.score ? other : one).name;
    return { refusals, byExtender, node };
  }

  async #refused(
    entry: QueuedPod,
    { pod, rooms, finding }: { pod: Pod; rooms: Map<string, NodeRoom>; finding: Finding },
  ): Promise<void> {
    const { refusals, byExtender } = finding;
    const resolvable = [...rooms].filter(([name]) => refusals.get(name)?.resolvable);
    // Where the extender fails there is no preemption, and nothing else changes.
    const { nominate, message: end = "" }: PreemptionEnd = await this.#preemption
      .preempt(pod, resolvable.map(([, room]) => room)).catch(() => ({}));
    if (this.#isStopped) return;
    const now = this.#view.open(pod.metadata.uid);
    if (now === undefined) return this.#queue.done(entry);
    // First back into the queue, then the report: its own echo must find the pod there.
    this.#queue.putUnschedulable(entry, { pod: now, byExtender });
    this.#report(now, {
      reason: "Unschedulable",
      message: `${fitMessage(rooms.size, refusals)} ${end}`.trimEnd(),
      ...(nominate !== undefined && { nominate }),
    });
  }

  async #bind(entry: QueuedPod, { pod, node }: { pod: Pod; node: string }): Promise<void> {
    const { preBindMs = () => 0, answered } = this.#options;
    const { namespace, name, uid } = pod.metadata;
    if (preBindMs() > 0) await sleep(preBindMs());
    if (this.#isStopped) return;
    const call = { pod, node, openedAt: performance.now() };
    this.calls.set(uid, call);
    let error: string | undefined;
    try {
      if (this.#extender) await this.#extender.bind(pod, node);
      else this.#bindAlone(pod, node);
    } catch (thrown) {
      error = (thrown as Error).message;
    }
    if (this.#isStopped) return;
    answered?.(call, error);
    if (this.calls.get(uid) === call) this.calls.delete(uid);
    if (error === undefined) {
      // Until the watch shows it, the pod stays assumed.
      const note = `Successfully assigned ${namespace}/${name} to ${node}`;
      return this.#reports.event(pod, { type: "Normal", reason: "Scheduled", note });
    }
    this.#view.forget(uid);
    this.#failed(entry, error);
    this.#queue.wake("pod-removed");
  }

  #bindAlone({ metadata: { namespace, name, uid } }: Pod, node: string): void {
    const { code, body } = this.#options.api.answer({
      method: "POST",
      path: `/api/v1/namespaces/${namespace}/pods/${name}/binding`,
      body: { metadata: { namespace, name, uid }, target: { kind: "Node", name: node } },
    });
    if (code !== 201) throw new Error((body as { message: string }).message);
  }

  #failed(entry: QueuedPod, message: string): void {
    if (this.#isStopped) return;
    const pod = this.#view.open(entry.pod.metadata.uid);
    // Deleted, or bound although the answer was lost.
    if (pod === undefined) return this.#queue.done(entry);
    this.#queue.putError(entry, pod);
    this.#report(pod, { reason: "SchedulerError", message });
  }

  #report(pod: Pod, report: Parameters<PodReports["notScheduled"]>[1]): void {
    const { message } = report;
    this.#reports.event(pod, { type: "Warning", reason: "FailedScheduling", note: message });
    this.#reports.notScheduled(pod, report);
  }

  #evict(victim: Pod, preemptor: Pod): void {
    if (this.#isStopped) return;
    this.#options.evicts?.(victim);
    this.#reports.evict(victim, preemptor);
  }
}

/** A heartbeat is no change. */
function isOtherNode(node: Node, before: Node | undefined): boolean {
  const relevant = (one: Node | undefined) => [
    one?.spec,
    one?.metadata.labels,
    one?.status.allocatable,
  ];
  return !isDeepStrictEqual(relevant(node), relevant(before));
}
