/**
 * The nodes, and what pods take of them: those that are bound, and those whose bind calls are open.
 *
 * @module
 */
import { Carried } from "../core/gang/carried.ts";
import { times } from "../core/attend/times.ts";
import { isSame, type OwnRoom, type Resources, type Room } from "../core/room/fit.ts";
import { type DeviceClass, servedBy, withServed } from "../kubernetes/counting/device_class.ts";
import {
  fewRules,
  mayRunOn,
  mayStayOn,
  sameForScheduling,
} from "../kubernetes/counting/node_match.ts";
import { isLastChoice } from "../kubernetes/counting/preference.ts";
import { add, allocatableOf } from "../kubernetes/counting/requests.ts";
import type { Node } from "../kubernetes/types.ts";
import { type PodRecord, staysForGood } from "./pod_record.ts";
import { Rooms } from "./rooms.ts";
import { type Taken, TakenRoom } from "./taken_room.ts";

/** Kinds of pods of which it is remembered for each node whether they may run there. */
const rememberedKinds = 1000;

/** Each rule of where a pod may run is looked at for each node: one that has more runs nowhere. */
const mostRules = 1000;

/** Room on nodes as it is now. */
export class ClusterRoom {
  readonly nodes = new Map<string, Node>();
  /** Those of them that have a taint by which pods had rather go elsewhere. */
  readonly lastChoices = new Map<string, Node>();
  readonly #changedAt = new Map<string, number>();
  readonly #rooms = new Rooms();
  readonly #allocatable = new Rooms();
  #nodesNow: unknown = {};
  /** Extended resources that DeviceClasses serve, by the uid of the class. */
  readonly #served = new Map<string, string[]>();
  /** Absent until somebody asks. */
  #capacity: Room | undefined;
  readonly #taken = new TakenRoom();
  readonly #mayRunOn = new Carried<Node, Map<string, boolean>>();
  readonly #changed: (node?: string) => void;
  readonly #now: () => number;

  /**
   * `changed` is told when there is more or less room, or pods may run elsewhere than before; and of a node that changed, or is
   * gone. `now` tells the time, in ms since the epoch.
   */
  constructor(changed: (node?: string) => void, now: () => number) {
    this.#changed = changed;
    this.#now = now;
  }

  /** A node was added or changed. */
  nodeChanged(node: Node): void {
    const { name } = node.metadata;
    const before = this.nodes.get(name);
    this.nodes.set(name, node);
    if (isLastChoice(node)) this.lastChoices.set(name, node);
    else this.lastChoices.delete(name);
    if (before && sameForScheduling(before, node)) return;
    this.#changedAt.set(name, this.#now());
    const room = this.#offeredBy(node);
    for (const [, taken] of this.#taken) {
      if (taken.node === name) add(room, taken.requests, -1);
    }
    this.#rooms.set(name, room);
    this.#allocatable.set(name, allocatableOf(node));
    this.#nodesNow = {};
    this.#capacity = undefined;
    this.#changed(name);
  }

  /** A node is gone. */
  nodeDeleted({ metadata: { name } }: Node): void {
    this.nodes.delete(name);
    this.lastChoices.delete(name);
    this.#rooms.delete(name);
    this.#allocatable.delete(name);
    this.#nodesNow = {};
    this.#changedAt.delete(name);
    this.#capacity = undefined;
    this.#changed(name);
  }

  /** A DeviceClass was added or changed. */
  deviceClassChanged(deviceClass: DeviceClass): void {
    this.#served.set(deviceClass.metadata.uid, servedBy(deviceClass));
    this.#recount();
  }

  /** A DeviceClass is gone. */
  deviceClassDeleted({ metadata }: DeviceClass): void {
    this.#served.delete(metadata.uid);
    this.#recount();
  }

  /** A pod takes what it asks for on a node. */
  occupy(record: PodRecord, node: string): void {
    const { pod, requests } = record;
    const { uid } = pod.metadata;
    const before = this.#taken.get(uid);
    if (before?.node === node && isSame(before.requests, requests)) return;
    this.vacate(record);
    const { priority = 0 } = pod.spec;
    const taken = { node, requests, priority, staysForGood: staysForGood(pod) };
    this.#taken.take(uid, taken);
    this.#moved(taken, -1);
  }

  /** A pod takes no room any more. */
  vacate(record: PodRecord): void {
    const { uid } = record.pod.metadata;
    const taken = this.#taken.get(uid);
    if (!taken) return;
    this.#taken.leave(uid);
    if (record.node) this.#changedAt.set(taken.node, this.#now());
    this.#moved(taken, 1);
  }

  #moved({ node, requests, staysForGood }: Taken, sign: 1 | -1): void {
    const room = this.#rooms.each.get(node);
    if (room) {
      const rest = new Map(room);
      add(rest, requests, sign);
      this.#rooms.set(node, rest);
    }
    if (staysForGood) this.#capacity = undefined;
    this.#changed();
  }

  /** When a node changed last, or a pod left it, in ms since the epoch; for ever, of one that is not there. */
  changedAt(node: string): number {
    return this.#changedAt.get(node) ?? Infinity;
  }

  /** Whether the scheduler may not have heard of that; `now` is in ms since the epoch. */
  hasJustChanged(node: string, now: number): boolean {
    return now < this.changedAt(node) + times.staleCycle;
  }

  /** Whether a pod may run on a node at all; pods of one kind may run on the same ones. */
  mayRunOn({ kind, pod, rules }: PodRecord, name: string): boolean {
    const node = this.nodes.get(name);
    if (!node) return false;
    if (rules <= fewRules) return mayRunOn(pod, node);
    const kinds = this.#mayRunOn.of(node) ?? this.#mayRunOn.put(node, new Map());
    const known = kinds.get(kind);
    if (known !== undefined) return known;
    const may = rules <= mostRules && mayRunOn(pod, node);
    if (kinds.size < rememberedKinds) kinds.set(kind, may);
    return may;
  }

  /** Whether a pod that is held on a node may be bound there: it is there, and would not have the pod evicted. */
  mayStayOn({ pod }: PodRecord, name: string): boolean {
    const node = this.nodes.get(name);
    return node !== undefined && mayStayOn(pod, node);
  }

  /** Another object whenever a node comes, goes, or is labelled or tainted otherwise. */
  get nodesNow(): unknown {
    return this.#nodesNow;
  }

  /** What is free on each node, as it is now: another object for a node whenever that, or the node, changes. */
  get free(): Room {
    return this.#rooms.each;
  }

  /** What all nodes have for pods, and what of it is free. */
  get totals(): { allocatable: Resources; free: Resources } {
    return { allocatable: this.#allocatable.total, free: this.#rooms.total };
  }

  /**
   * What would be free if all pods had left that ever do: those of a DaemonSet, or of the node itself, stay. The same
   * object, not to be changed, for as long as that and where pods may run stay the same.
   */
  capacity(): Room {
    return this.#capacity ??= this.#roomBeside(({ staysForGood }) => staysForGood);
  }

  /** What pods take that are bound or held, and where. */
  get taken(): Pick<TakenRoom, "below" | "hasBelow"> {
    return this.#taken;
  }

  /** What is free beside what these pods take. */
  #roomBeside(counts: (taken: Taken) => boolean): OwnRoom {
    const rooms = new Map([...this.nodes].map(([name, node]) => [name, this.#offeredBy(node)]));
    for (const [, taken] of this.#taken) {
      const room = rooms.get(taken.node);
      if (room && counts(taken)) add(room, taken.requests, -1);
    }
    return rooms;
  }

  #offeredBy(node: Node): Map<string, number> {
    return withServed(allocatableOf(node), [...this.#served.values()].flat());
  }

  #recount(): void {
    for (const [name, room] of this.#roomBeside(() => true)) this.#rooms.set(name, room);
    this.#capacity = undefined;
    this.#changed();
  }
}
