/**
 * The members of a gang by what they count as, kept as they change: a look at a large gang costs what changed, not all members.
 *
 * @module
 */
import { isBeyondRoom } from "../core/attend/scheduler_reasons.ts";
import type { Call, NominatedMember } from "../core/attend/snapshot.ts";
import type { Census } from "../core/gang/facts.ts";
import { type MemberClass, memberClassOf } from "../kubernetes/counting/census.ts";
import type { PodGroup } from "../kubernetes/declaring/pod_group.ts";
import { podCondition } from "../kubernetes/pod_condition.ts";
import { fromScheduler, wasTried } from "../kubernetes/status/sentence.ts";
import type { Pod } from "../kubernetes/types.ts";
import { isGated, isParked, isWaiting, type PodRecord } from "./pod_record.ts";

/** What members are listed by. One that counts is held or of one class, and may stand in any of the other lists. */
export type List =
  | MemberClass
  /** Its bind call is open. */
  | "held"
  | "running"
  /** Neither held nor on a node, and Muster's to place. */
  | "waiting"
  /** Waits behind Muster's gate. */
  | "behind own gate"
  /** Annotated as one of a gang that timed out (S3). */
  | "parked"
  /** Refused by the scheduler, whoever had it do so, or held before. */
  | "tried"
  /** Refused by the scheduler's own plugins. */
  | "unschedulable"
  /** So that more room would be of no use to it. */
  | "beyond room"
  /** Victims leave a node for it, or it has its place there. */
  | "nominated";

type Members = Map<string, PodRecord>;

/** The lists of one gang. */
export class MemberLists {
  readonly beside: Beside;
  readonly #lists = new Map<List, Members>();
  readonly #listsOf = new Map<string, readonly List[]>();
  #calls: ReadonlyMap<string, Call> | undefined;
  #held: readonly Call["pod"][] | undefined;

  constructor(members: Iterable<PodRecord>, beside: Beside) {
    this.beside = beside;
    for (const record of members) this.count(record);
  }

  /** A member came or changed. */
  count(record: PodRecord): void {
    const { uid } = record.pod.metadata;
    const before = this.#listsOf.get(uid) ?? [];
    const lists = counts(record, this.beside) ? listsOf(record) : [];
    for (const list of before) if (!lists.includes(list)) this.#lists.get(list)?.delete(uid);
    for (const list of lists) this.#members(list).set(uid, record);
    this.#listsOf.set(uid, lists);
    if (before.includes("held") || lists.includes("held")) this.#callsChanged();
  }

  /** A member is gone. */
  forget(uid: string): void {
    for (const list of this.#listsOf.get(uid) ?? []) this.#lists.get(list)?.delete(uid);
    this.#listsOf.delete(uid);
    this.#callsChanged();
  }

  #callsChanged(): void {
    this.#calls = undefined;
    this.#held = undefined;
  }

  #members(list: List): Members {
    const members: Members = this.#lists.get(list) ?? new Map();
    this.#lists.set(list, members);
    return members;
  }

  /** How many members stand in a list. */
  sizeOf(list: List): number {
    return this.#lists.get(list)?.size ?? 0;
  }

  /** The members of a list. */
  in(list: List): Iterable<PodRecord> {
    return this.#lists.get(list)?.values() ?? [];
  }

  /** The members that are not held, by class. */
  census(): Census {
    const foreign = this.sizeOf("foreign");
    return {
      pending: this.sizeOf("pending"),
      gated: this.sizeOf("gated"),
      bound: this.sizeOf("bound"),
      running: this.sizeOf("running"),
      succeeded: this.sizeOf("succeeded"),
      failed: this.sizeOf("failed"),
      terminating: this.sizeOf("terminating"),
      ...(foreign > 0 && { foreign }),
    };
  }

  /** The open bind calls, by uid: the same map until one of them is another. */
  calls(): ReadonlyMap<string, Call> {
    return this.#calls ??= new Map(
      [...this.in("held")].map(({ call }) => [call!.pod.uid, call!]),
    );
  }

  /** The members that are held, and where: the same list until one of them is another. */
  held(): readonly Call["pod"][] {
    return this.#held ??= [...this.calls().values()].map(({ pod }) => pod);
  }

  /** Members that are there, wherever they are, or have done their work. */
  present(): number {
    const lists = ["held", "bound", "pending", "succeeded"] as const;
    return lists.reduce((sum, list) => sum + this.sizeOf(list), 0);
  }

  /** Members that are held or have a node, or are about to as `comes` says. */
  placed(comes?: (uid: string) => boolean): number {
    const placed = this.sizeOf("held") + this.sizeOf("bound");
    if (!comes) return placed;
    return [...this.in("waiting")].reduce(
      (sum, { pod }) => comes(pod.metadata.uid) ? sum + 1 : sum,
      placed,
    );
  }

  /** Members that are nominated, and the versions of their pods. */
  nominated(): NominatedMember[] {
    return [...this.in("nominated")].map(({ pod: { metadata, status } }) => ({
      uid: metadata.uid,
      node: status!.nominatedNodeName!,
      version: metadata.resourceVersion ?? "",
    }));
  }
}

/** What does not count. */
export interface Beside {
  /** Bound before it was created, a pod does not (S3). */
  readonly podGroup: PodGroup | undefined;
  /** By uid, members of an earlier run. */
  readonly earlier: ReadonlySet<string>;
}

/** Whether a member counts. */
export function counts({ pod }: PodRecord, { podGroup, earlier }: Beside): boolean {
  return !earlier.has(pod.metadata.uid) && !(podGroup && isOfEarlier(podGroup, pod));
}

function listsOf(record: PodRecord): List[] {
  const { pod, node, call } = record;
  const { status, metadata } = pod;
  const memberClass = memberClassOf(record);
  const lists: List[] = [call && !node ? "held" : memberClass];
  if (memberClass === "bound" && status?.phase === "Running") lists.push("running");
  if (isGated(record) && !record.foreign) lists.push("behind own gate");
  if (!node && isParked(pod)) lists.push("parked");
  const isNominated = status?.nominatedNodeName && !node && !call && !metadata.deletionTimestamp;
  if (isNominated) lists.push("nominated");
  if (!isWaiting(record)) return lists;
  lists.push("waiting");
  if (record.wasHeld || wasTried(pod)) lists.push("tried");
  const refusal = fromScheduler(pod);
  if (refusal === undefined) return lists;
  lists.push("unschedulable");
  if (isBeyondRoom(refusal)) lists.push("beyond room");
  return lists;
}

/** Whether a pod was bound before the PodGroup was created; a pod may be created before its PodGroup. */
function isOfEarlier(podGroup: PodGroup, pod: Pod): boolean {
  const { creationTimestamp } = podGroup.metadata;
  if (!pod.spec.nodeName || creationTimestamp === undefined) return false;
  const scheduled = podCondition(pod, "PodScheduled");
  // A pod that was created with a node may have none; one that says otherwise than True was written after the binding.
  const boundBy = scheduled ? scheduled.lastTransitionTime : pod.metadata.creationTimestamp;
  return boundBy !== undefined && Date.parse(boundBy) < Date.parse(creationTimestamp);
}
