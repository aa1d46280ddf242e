/**
 * The cluster as the relay knows it: pods, the gangs that they form, and the room that they take.
 *
 * @module
 */
import type { Call } from "../core/attend/snapshot.ts";
import { controllerOf, type Job } from "../kubernetes/declaring/job.ts";
import { declaresSame } from "../kubernetes/declaring/member.ts";
import { takenOtherwise } from "../kubernetes/counting/taken.ts";
import type { CompositePodGroup } from "../kubernetes/declaring/composite_pod_group.ts";
import type { PodGroup, PodGroupKind } from "../kubernetes/declaring/pod_group.ts";
import { noLevels, type TopologyLevel } from "../kubernetes/declaring/topology_level.ts";
import type { Pod } from "../kubernetes/types.ts";
import type { DisruptionBudget } from "../kubernetes/counting/disruption_budget.ts";
import { Budgets } from "./budgets.ts";
import { ClusterRoom } from "./cluster_room.ts";
import { Deadlines } from "./deadlines.ts";
import { Gang } from "./gang.ts";
import { PodGroups } from "./pod_groups.ts";
import { needsOf } from "./pod_needs.ts";
import { gangOf, isActive, leaving, type PodRecord, recordOf } from "./pod_record.ts";
import { RegularPods } from "./regular_pods.ts";

/** Something that happened to a pod: it came, changed or went. */
export interface PodChange {
  /** Undefined: it came, or came to another gang. */
  readonly before: Pod | undefined;
  /** As it is now, or was last. */
  readonly record: PodRecord;
  readonly isGone: boolean;
}

/** Told what changed. */
export interface ClusterListener {
  /** What declares a gang, by its `namespace/name`, came, changed or went: its PodGroup, or a Job's deadline. */
  readonly podGroupChanged: (gang: string) => void;
  readonly podChanged: (change: PodChange) => void;
  /** Free room, or where pods may run, changed. */
  readonly roomChanged: () => void;
}

/** What is known of a cluster beforehand. */
export interface ClusterOptions {
  /** Names that the scheduler beside Muster answers to; absent: any. */
  readonly schedulerNames?: readonly string[];
  /** Of the network, the widest first; absent: none are named. */
  readonly levels?: readonly TopologyLevel[];
  /** How long a gang is taken to run of which nothing else is known, in seconds; absent: nobody knows when it ends. */
  readonly expectedSeconds?: number | undefined;
  /** Admission gates pods of those namespaces alone that opt in; absent: of all. */
  readonly isOptIn?: boolean;
  /** Tells the time, in ms since the epoch; absent: as this machine does. */
  readonly clock?: () => number;
}

/** The relay's copy of the cluster. */
export class Cluster {
  readonly pods = new Map<string, PodRecord>();
  readonly gangs = new Map<string, Gang>();
  readonly room = new ClusterRoom((node) => this.#roomChanged(node), () => this.now());
  readonly podGroups = new PodGroups();
  readonly budgets = new Budgets();
  readonly deadlines = new Deadlines((job) => this.#declaredAnew(job));
  readonly regularPods = new RegularPods();
  /** Uids of the pods whose bind calls are open, by node. */
  readonly #held = new Map<string, Set<string>>();
  readonly #listener: ClusterListener;
  readonly #options: ClusterOptions;

  constructor(listener: ClusterListener, options: ClusterOptions = {}) {
    this.#listener = listener;
    this.#options = options;
  }

  /** The time at which what is told of happens, in ms since the epoch. */
  now(): number {
    return (this.#options.clock ?? Date.now)();
  }

  /** Whether gangs may come without Muster's gate though admission adds it. */
  get isOptIn(): boolean {
    return this.#options.isOptIn ?? false;
  }

  /** The levels of the network, the widest first. */
  get levels(): readonly TopologyLevel[] {
    return this.#options.levels ?? noLevels;
  }

  #roomChanged(node: string | undefined): void {
    this.#listener.roomChanged();
    if (node === undefined) return;
    for (const uid of [...this.#held.get(node) ?? []]) {
      const record = this.pods.get(uid);
      if (!record?.call || record.node || this.room.mayStayOn(record, node)) continue;
      this.#listener.podChanged({ before: record.pod, record, isGone: false });
    }
  }

  /** What is declared of a Job's pods is another: most often there are none yet. */
  #declaredAnew({ metadata }: Job): void {
    for (const { pod, gang } of this.pods.values()) {
      if (gang === undefined || controllerOf(pod) !== metadata.uid) continue;
      this.gangs.get(gang)?.declarationChanged();
      this.#listener.podGroupChanged(gang);
    }
  }

  /** A Job was added or changed. */
  jobChanged(job: Job): void {
    this.deadlines.changed(job);
    if (job.metadata.deletionTimestamp !== undefined) this.#jobGoes(job);
  }

  /** A Job is gone. */
  jobDeleted(job: Job): void {
    this.deadlines.deleted(job);
    this.#jobGoes(job);
  }

  #jobGoes({ metadata: { uid } }: Job): void {
    for (const [id, gang] of this.gangs) {
      if (gang.controllerGone(uid)) this.#listener.podGroupChanged(id);
    }
  }

  /** A PodDisruptionBudget was added or changed. */
  budgetChanged(budget: DisruptionBudget): void {
    this.budgets.changed(budget);
    this.#listener.roomChanged();
  }

  /** A PodDisruptionBudget is gone. */
  budgetDeleted(budget: DisruptionBudget): void {
    this.budgets.deleted(budget);
    this.#listener.roomChanged();
  }

  /** A pod was added or changed. */
  podChanged(pod: Pod): void {
    const { record, before } = this.#knownOf(pod);
    const saysOther = before && record.gang !== undefined && !declaresSame(before, pod);
    // Resized in place, tightened behind a gate, or of another role.
    if (saysOther || before && asksOther(before, pod)) Object.assign(record, needsOf(pod));
    if (before) this.#noteEnd(record, { before, pod });
    record.pod = pod;
    record.node ??= pod.spec.nodeName;
    this.pods.set(pod.metadata.uid, record);
    const gang = this.#gangOf(record);
    gang?.memberChanged(record);
    if (saysOther) gang?.memberDeclares(before, pod);
    if (!isActive(pod)) this.room.vacate(record);
    else if (record.node) this.#occupy(record, record.node);
    this.regularPods.queue(record, this.now());
    if (this.regularPods.nominate(record)) this.#listener.roomChanged();
    this.#listener.podChanged({ before, record, isGone: false });
  }

  /**
   * What is known of a pod, and as what; one whose labels name another gang now has left the one and comes to the other. One
   * that was on a node and is not any more comes anew: etcd was restored from a backup.
   */
  #knownOf(pod: Pod): { record: PodRecord; before: Pod | undefined } {
    const known = this.pods.get(pod.metadata.uid);
    const isBack = known?.pod.spec.nodeName !== undefined && pod.spec.nodeName === undefined;
    if (known && known.gang === gangOf(pod) && !isBack) return { record: known, before: known.pod };
    if (known) this.podDeleted(pod);
    const fresh = recordOf(pod, this.#options.schedulerNames);
    // A binding that is being written is the other gang's now.
    return { record: { ...fresh, call: known?.call }, before: undefined };
  }

  /** A pod begins to leave, or has ended. */
  #noteEnd(record: PodRecord, { before, pod }: { before: Pod; pod: Pod }): void {
    if (!before.metadata.deletionTimestamp && pod.metadata.deletionTimestamp) {
      record.leaves = leaving(record.leaves?.preemptor, this.now());
    }
    if (isActive(before) && !isActive(pod)) record.endedAt = this.now();
  }

  /** A pod is gone. */
  podDeleted(pod: Pod): void {
    const record = this.pods.get(pod.metadata.uid);
    if (!record) return;
    this.pods.delete(pod.metadata.uid);
    if (this.regularPods.forget(pod.metadata.uid)) this.#listener.roomChanged();
    this.room.vacate(record);
    const gang = this.#gangOf(record);
    gang?.memberLeft(pod.metadata.uid);
    if (gang?.members.size === 0) this.gangs.delete(gang.id);
    this.#listener.podChanged({ before: record.pod, record, isGone: true });
  }

  /** A PodGroup was added or changed. */
  podGroupChanged(kind: PodGroupKind, podGroup: PodGroup): void {
    this.#declared(this.podGroups.changed(kind, podGroup));
  }

  /** A PodGroup is gone. */
  podGroupDeleted(kind: PodGroupKind, podGroup: PodGroup): void {
    this.#declared(this.podGroups.deleted(kind, podGroup));
  }

  /** A CompositePodGroup was added or changed. */
  compositeChanged(composite: CompositePodGroup): void {
    this.#declared(this.podGroups.compositeChanged(composite));
  }

  /** A CompositePodGroup is gone. */
  compositeDeleted(composite: CompositePodGroup): void {
    this.#declared(this.podGroups.compositeDeleted(composite));
  }

  /** Each may name others that it starts with: all are read anew before anybody looks at one. */
  #declared(gangs: readonly string[]): void {
    for (const gang of gangs) this.gangs.get(gang)?.declarationChanged();
    for (const gang of gangs) this.#listener.podGroupChanged(gang);
  }

  /** A pod was bound: it is so before the watch says it. */
  podBound(seen: PodRecord, node: string): void {
    const record = this.#now(seen);
    Object.assign(record, { node, boundAt: this.now() });
    this.regularPods.queue(record, this.now());
    this.#recount(record);
    this.#occupy(record, node);
  }

  /** A member's bind call was opened, or is another than before: it takes the room. */
  podHeld(record: PodRecord, call: Call): void {
    this.#forgetCall(record);
    record.call = call;
    const { node } = call.pod;
    this.#held.set(node, (this.#held.get(node) ?? new Set()).add(record.pod.metadata.uid));
    this.#recount(record);
    if (!record.node) this.#occupy(record, call.pod.node);
  }

  /** A member's bind call was answered: without a node it takes no room. */
  podLetGo(seen: PodRecord): void {
    const record = this.#now(seen);
    record.wasHeld = true;
    this.#forgetCall(record);
    this.#recount(record);
    if (!record.node) this.room.vacate(record);
  }

  #forgetCall(record: PodRecord): void {
    const { node = "" } = record.call?.pod ?? {};
    record.call = undefined;
    const held = this.#held.get(node);
    held?.delete(record.pod.metadata.uid);
    if (held?.size === 0) this.#held.delete(node);
  }

  /** Muster's gate is being removed from a pod: it is so before the watch says it. */
  podUngated(record: PodRecord): void {
    record.isUngated = true;
    this.#recount(record);
  }

  /** Muster's gate could not be removed: no watch says that it is still there. */
  podStillGated({ pod }: PodRecord): void {
    const record = this.pods.get(pod.metadata.uid);
    if (!record) return;
    record.isUngated = false;
    this.#recount(record);
    this.#listener.podChanged({ before: record.pod, record, isGone: false });
  }

  /** A pod that came to another gang has another record. */
  #now(record: PodRecord): PodRecord {
    return this.pods.get(record.pod.metadata.uid) ?? record;
  }

  #recount(record: PodRecord): void {
    if (this.pods.has(record.pod.metadata.uid)) this.#gangOf(record)?.memberChanged(record);
  }

  /** A pod takes room on a node: it is bound there, or held. One that is gone or has ended takes none. */
  #occupy(record: PodRecord, node: string): void {
    const isThere = this.pods.has(record.pod.metadata.uid) && isActive(record.pod);
    if (isThere) this.room.occupy(record, node);
  }

  #gangOf(record: PodRecord): Gang | undefined {
    if (record.gang === undefined) return undefined;
    const gang = this.gangs.get(record.gang) ??
      new Gang(record.gang, {
        ...this.#options,
        findPodGroup: (kind, namespace, name) => this.podGroups.find(kind, namespace, name),
        hierarchyOf: (namespace) => this.podGroups.hierarchyOf(namespace),
        jobDeadlineOf: (pod) => this.deadlines.of(pod),
      });
    this.gangs.set(record.gang, gang);
    return gang;
  }
}

/** Whether a pod asks for something else than before, or its node says otherwise what it takes. */
function asksOther(before: Pod, pod: Pod): boolean {
  return before.metadata.generation !== pod.metadata.generation ||
    takenOtherwise(before) !== undefined || takenOtherwise(pod) !== undefined;
}
