/**
 * The cluster as the relay knows it: nodes and their free room, pods, and the gangs that pods form.
 *
 * @module
 */
import { type NodeRoom, type Resources, type Room, roomOf } from "../shared/core/fit.ts";
import { gangId } from "../shared/core/facts.ts";
import { classOf, ownGate } from "../shared/kubernetes/census.ts";
import { declaresSame } from "../shared/kubernetes/member.ts";
import { membershipOf } from "../shared/kubernetes/dialect.ts";
import { type PodGroupLookup, type ReadGang, readGang } from "../shared/kubernetes/gang_reader.ts";
import type { PodGroup, PodGroupKind } from "../shared/kubernetes/pod_group.ts";
import { mayRunOn, placementKey } from "../shared/kubernetes/node_match.ts";
import { add, allocatableOf, requestsOf } from "../shared/kubernetes/requests.ts";
import type { Condition, Node, Pod } from "../shared/kubernetes/types.ts";

/** Kinds of pods of which it is remembered for each node whether they may run there. */
const rememberedKinds = 1000;

/** A pod, and what the relay knows of it beyond the API server's copy. */
export interface PodRecord {
  pod: Pod;
  /** `namespace/name` of its gang; undefined for a regular pod. */
  readonly gang: string | undefined;
  requests: Resources;
  /** Pods of one kind ask for the same on the same nodes. */
  kind: string;
  /** The node it is bound to, which the relay may know before the pod shows it. */
  node: string | undefined;
  /** Muster's scheduling gate has been removed, which the relay may know before the pod shows it. */
  isUngated: boolean;
  /** Until then it is a victim on its way out, though the pod does not show it, in ms since the epoch. */
  leavesUntil: number;
}

/** The pods of one gang, and what they declare. */
export class Gang {
  readonly id: string;
  readonly members = new Map<string, PodRecord>();
  /** Members behind Muster's scheduling gate, by uid. */
  readonly gated = new Map<string, PodRecord>();
  readonly #findPodGroup: PodGroupLookup;
  #read: ReadGang | undefined;

  constructor(id: string, findPodGroup: PodGroupLookup) {
    this.id = id;
    this.#findPodGroup = findPodGroup;
  }

  /** The gang's spec; remembered until its members or its PodGroup change, and beyond the last member. */
  read(): ReadGang {
    if (!this.#read && this.members.size > 0) {
      this.#read = readGang(
        [...this.members.values()].map((record) => record.pod),
        this.#findPodGroup,
      );
    }
    return this.#read!;
  }

  /** Whether nothing is left of it: no member, and no PodGroup. */
  get isGone(): boolean {
    if (this.members.size > 0) return false;
    const { spec, podGroupKind } = this.read();
    return !podGroupKind || !this.#findPodGroup(podGroupKind, spec.namespace, spec.name);
  }

  /** The members that count: pods that were bound for an earlier PodGroup of this name do not (S3). */
  counted(): [uid: string, record: PodRecord][] {
    const { podGroup } = this.read();
    return [...this.members].filter(([, { pod }]) => !podGroup || !isOfEarlier(podGroup, pod));
  }

  /** The members or the PodGroup changed. */
  changed(): void {
    if (this.members.size > 0) this.#read = undefined;
  }
}

/** Something that happened to a pod. Both: it changed; only `before`: it is gone. */
export interface PodChange {
  readonly before: Pod | undefined;
  readonly record: PodRecord;
  readonly isGone: boolean;
}

/** Told what changed. */
export interface ClusterListener {
  /** The PodGroup of a gang, by its `namespace/name`, came, changed or went. */
  readonly podGroupChanged: (gang: string) => void;
  readonly podChanged: (change: PodChange) => void;
  /** Free room, or where pods may run, changed. */
  readonly roomChanged: () => void;
}

/** The relay's copy of the cluster. */
export class Cluster {
  readonly pods = new Map<string, PodRecord>();
  readonly gangs = new Map<string, Gang>();
  readonly nodes = new Map<string, Node>();
  readonly #podGroups = new Map<string, PodGroup>();
  readonly #rooms = new Map<string, Map<string, number>>();
  readonly #occupied = new Map<string, { node: string; requests: Resources }>();
  /** Regular pods for which victims leave, by uid. */
  readonly #nominated = new Map<string, PodRecord>();
  readonly #mayRunOn = new WeakMap<Node, Map<string, boolean>>();
  readonly #listener: ClusterListener;
  readonly #awaited = new Map<string, PromiseWithResolvers<PodRecord>>();

  constructor(listener: ClusterListener) {
    this.#listener = listener;
  }

  /** A node was added or changed. */
  nodeChanged(node: Node): void {
    const { name } = node.metadata;
    const before = this.nodes.get(name);
    this.nodes.set(name, node);
    if (before && sameForScheduling(before, node)) return;
    const room = new Map(allocatableOf(node));
    for (const use of this.#occupied.values()) {
      if (use.node === name) add(room, use.requests, -1);
    }
    this.#rooms.set(name, room);
    this.#listener.roomChanged();
  }

  /** A node is gone. */
  nodeDeleted(node: Node): void {
    this.nodes.delete(node.metadata.name);
    this.#rooms.delete(node.metadata.name);
    this.#listener.roomChanged();
  }

  /** A pod was added or changed. */
  podChanged(pod: Pod): void {
    const { uid } = pod.metadata;
    // A pod whose labels name another gang than before has left the one and come to the other.
    if (this.pods.has(uid) && this.pods.get(uid)!.gang !== gangOf(pod)) this.podDeleted(pod);
    const known = this.pods.get(uid);
    const before = known?.pod;
    const record = known ?? recordOf(pod);
    // Resized in place, or tightened behind a gate.
    if (before && before.metadata.generation !== pod.metadata.generation) {
      Object.assign(record, needsOf(pod));
      if (record.node) this.vacate(record);
    }
    record.pod = pod;
    record.node ??= pod.spec.nodeName;
    this.pods.set(uid, record);
    const gang = this.#gangOf(record);
    gang?.members.set(uid, record);
    if (isGated(record)) gang?.gated.set(uid, record);
    else gang?.gated.delete(uid);
    if (gang && !(before && declaresSame(before, pod))) gang.changed();
    if (!isActive(pod)) this.vacate(record);
    else if (record.node) this.occupy(record, record.node);
    this.#nominate(record, before?.status?.nominatedNodeName);
    this.#listener.podChanged({ before, record, isGone: false });
    this.#awaited.get(uid)?.resolve(record);
  }

  /** Waits until the watch has shown a pod. */
  async whenSeen(uid: string, withinMs: number): Promise<PodRecord> {
    const known = this.pods.get(uid);
    if (known) return known;
    const seen = this.#awaited.get(uid) ?? Promise.withResolvers<PodRecord>();
    this.#awaited.set(uid, seen);
    const timer = setTimeout(
      () => seen.reject(new Error("the relay has not seen this pod yet")),
      withinMs,
    );
    try {
      return await seen.promise;
    } finally {
      clearTimeout(timer);
      this.#awaited.delete(uid);
    }
  }

  /** A pod is gone. */
  podDeleted(pod: Pod): void {
    const record = this.pods.get(pod.metadata.uid);
    if (!record) return;
    this.pods.delete(pod.metadata.uid);
    this.#nominated.delete(pod.metadata.uid);
    this.vacate(record);
    const gang = this.#gangOf(record);
    gang?.members.delete(pod.metadata.uid);
    gang?.gated.delete(pod.metadata.uid);
    gang?.changed();
    if (gang?.members.size === 0) this.gangs.delete(gang.id);
    this.#listener.podChanged({ before: record.pod, record, isGone: true });
  }

  /** A PodGroup was added or changed. */
  podGroupChanged(kind: PodGroupKind, podGroup: PodGroup): void {
    const { namespace, name } = podGroup.metadata;
    const key = podGroupKey(kind, namespace, name);
    const before = this.#podGroups.get(key);
    // Its status says what the relay knows already.
    if (before && sameDeclaration(before, podGroup)) return;
    this.#podGroups.set(key, podGroup);
    this.gangs.get(`${namespace}/${name}`)?.changed();
    this.#listener.podGroupChanged(`${namespace}/${name}`);
  }

  /** A PodGroup is gone. */
  podGroupDeleted(kind: PodGroupKind, podGroup: PodGroup): void {
    const { namespace, name } = podGroup.metadata;
    this.#podGroups.delete(podGroupKey(kind, namespace, name));
    this.gangs.get(`${namespace}/${name}`)?.changed();
    this.#listener.podGroupChanged(`${namespace}/${name}`);
  }

  /** The relay bound a pod: it is so before the watch says it. */
  podBound(record: PodRecord, node: string): void {
    record.node = node;
    this.occupy(record, node);
  }

  /** A pod takes room on a node: it is bound there, or held. One that is gone or has ended takes none. */
  occupy(record: PodRecord, node: string): void {
    const { uid } = record.pod.metadata;
    if (this.#occupied.get(uid)?.node === node) return;
    if (!this.pods.has(uid) || !isActive(record.pod)) return;
    this.vacate(record);
    this.#occupied.set(uid, { node, requests: record.requests });
    const room = this.#rooms.get(node);
    if (room) add(room, record.requests, -1);
    this.#listener.roomChanged();
  }

  /** A pod takes no room any more. */
  vacate(record: PodRecord): void {
    const use = this.#occupied.get(record.pod.metadata.uid);
    if (!use) return;
    this.#occupied.delete(record.pod.metadata.uid);
    const room = this.#rooms.get(use.node);
    if (room) add(room, use.requests);
    this.#listener.roomChanged();
  }

  /** Whether a pod may run on a node at all; pods of one kind may run on the same ones. */
  mayRunOn({ kind, pod }: PodRecord, name: string): boolean {
    const node = this.nodes.get(name);
    if (!node) return false;
    const kinds = this.#mayRunOn.get(node) ?? new Map<string, boolean>();
    this.#mayRunOn.set(node, kinds);
    const known = kinds.get(kind);
    if (known !== undefined) return known;
    const may = mayRunOn(pod, node);
    if (kinds.size < rememberedKinds) kinds.set(kind, may);
    return may;
  }

  /** A copy of the free room on all nodes. */
  room(): Room {
    return roomOf(this.#freeRooms());
  }

  /** What would be free if all pods had left that ever do: those of a DaemonSet, or of the node itself, stay. */
  capacity(): Room {
    const rooms = new Map(
      [...this.nodes].map(([name, node]) => [name, new Map(allocatableOf(node))]),
    );
    for (const [uid, { node, requests }] of this.#occupied) {
      const room = rooms.get(node);
      if (room && staysForGood(this.pods.get(uid)?.pod)) add(room, requests, -1);
    }
    return rooms;
  }

  /** What regular pods are going to take for which victims leave, those of the highest priority first. */
  nominated(): { node: string; requests: Resources; priority: number }[] {
    return [...this.#nominated.values()].flatMap(({ pod, node, requests }) => {
      const { nominatedNodeName } = pod.status ?? {};
      if (node || !nominatedNodeName) return [];
      return [{ node: nominatedNodeName, requests, priority: pod.spec.priority ?? 0 }];
    }).sort((a, b) => b.priority - a.priority);
  }

  /** What pods of a lower priority take, and where. */
  *takenBelow(priority: number): Iterable<{ node: string; requests: Resources }> {
    for (const [uid, use] of this.#occupied) {
      const record = this.pods.get(uid);
      if (record && (record.pod.spec.priority ?? 0) < priority) yield use;
    }
  }

  /** Gangs preempt for themselves: their room is planned. */
  #nominate(record: PodRecord, before: string | undefined): void {
    const { metadata, spec, status } = record.pod;
    if (record.gang !== undefined || status?.nominatedNodeName === before) return;
    const isNominated = status?.nominatedNodeName !== undefined && !spec.nodeName;
    if (isNominated) this.#nominated.set(metadata.uid, record);
    else this.#nominated.delete(metadata.uid);
    this.#listener.roomChanged();
  }

  *#freeRooms(): Iterable<NodeRoom> {
    for (const [name, free] of this.#rooms) yield { name, free };
  }

  #gangOf(record: PodRecord): Gang | undefined {
    if (record.gang === undefined) return undefined;
    const gang = this.gangs.get(record.gang) ??
      new Gang(
        record.gang,
        (kind, namespace, name) => this.#podGroups.get(podGroupKey(kind, namespace, name)),
      );
    this.gangs.set(record.gang, gang);
    return gang;
  }
}

function podGroupKey(kind: PodGroupKind, namespace: string, name: string): string {
  return `${kind.group}|${namespace}/${name}`;
}

/** Whether a pod was bound before the PodGroup was created; a pod may be created before its PodGroup. */
function isOfEarlier(podGroup: PodGroup, pod: Pod): boolean {
  const { creationTimestamp } = podGroup.metadata;
  if (!pod.spec.nodeName || creationTimestamp === undefined) return false;
  const scheduled = pod.status?.conditions?.find(({ type }) => type === "PodScheduled");
  // A pod that was created with a node may have no such condition.
  const boundAt = scheduled ? boundAtOf(scheduled) : pod.metadata.creationTimestamp;
  return boundAt !== undefined && Date.parse(boundAt) < Date.parse(creationTimestamp);
}

function boundAtOf({ status, lastTransitionTime }: Condition): string | undefined {
  return status === "True" ? lastTransitionTime : undefined;
}

function sameDeclaration(a: PodGroup, b: PodGroup): boolean {
  const key = ({ apiVersion, metadata, spec }: PodGroup) =>
    JSON.stringify([apiVersion, metadata.uid, metadata.annotations, spec]);
  return key(a) === key(b);
}

function gangOf(pod: Pod): string | undefined {
  const membership = membershipOf(pod);
  return membership && gangId(membership);
}

function recordOf(pod: Pod): PodRecord {
  return {
    pod,
    gang: gangOf(pod),
    ...needsOf(pod),
    node: pod.spec.nodeName,
    isUngated: false,
    leavesUntil: 0,
  };
}

function needsOf(pod: Pod): Pick<PodRecord, "requests" | "kind"> {
  const requests = requestsOf(pod);
  return { requests, kind: JSON.stringify([...requests].sort()) + placementKey(pod) };
}

/** Whether a pod waits behind Muster's gate. */
export function isGated({ pod, isUngated }: PodRecord): boolean {
  return !isUngated && (pod.spec.schedulingGates?.some(({ name }) => name === ownGate) ?? false);
}

/** Whether a pod still takes room on its node. */
function isActive(pod: Pod): boolean {
  const memberClass = classOf(pod);
  return memberClass !== "succeeded" && memberClass !== "failed";
}

function staysForGood(pod: Pod | undefined): boolean {
  return pod?.metadata.ownerReferences?.some(({ kind }) =>
    kind === "DaemonSet" || kind === "Node"
  ) ?? false;
}

function sameForScheduling(a: Node, b: Node): boolean {
  const key = (node: Node) =>
    JSON.stringify([
      node.metadata.labels,
      node.spec?.taints,
      node.spec?.unschedulable,
      node.status?.allocatable,
    ]);
  return key(a) === key(b);
}
