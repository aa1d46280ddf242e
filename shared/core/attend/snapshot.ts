/**
 * What is so of a gang group at one moment, as the relay sees it.
 *
 * @module
 */
import type { Group, MemberFailure, PodRef } from "../gang/facts.ts";

/** An open bind call. The scheduler has assumed the pod on the node and waits for the answer. */
export interface Call {
  /** No two calls have the same. */
  readonly id: number;
  readonly pod: PodRef & { readonly node: string };
  /** `namespace/name` of its gang. */
  readonly gang: string;
  /** In ms since the epoch, as all times here. */
  readonly openedAt: number;
  /** The binding is being written: it can not be taken back any more. */
  readonly isGranted: boolean;
}

/** A member that waits behind Muster's gate. */
export interface GatedMember {
  readonly uid: string;
  readonly kind: string;
  /** `namespace/name`. */
  readonly gang: string;
  /** Gates of others keep it as well. */
  readonly isGatedByOthers?: true | undefined;
  /** What its `PodScheduled` condition says. */
  readonly says?: { readonly reason?: string | undefined; readonly message?: string | undefined };
}

/** A member that is not held and is nominated to a node: victims leave it, or it has its place there. */
export interface NominatedMember {
  readonly uid: string;
  readonly node: string;
  /** Of the pod, as it was seen. */
  readonly version: string;
}

/** A member that is neither bound nor held and that the scheduler's own plugins refuse, in its words. */
export interface UnschedulableMember extends MemberFailure {
  /** Undefined in recordings of relays that did not know it. */
  readonly kind?: string | undefined;
}

/** The facts of a group, and the calls they speak of. */
export interface Snapshot {
  readonly group: Group;
  /** `gang ns/a`, or `gang group ns/a, ns/b`. */
  readonly title: string;
  /** By uid of the member. */
  readonly calls: ReadonlyMap<string, Call>;
  /** Members, by uid, that are held on nodes that are gone, or would have them evicted. */
  readonly stranded: readonly string[];
  /** What the specs ask for, as a text. */
  readonly specs: string;
  readonly counts: string;
  /** Members with a node, held, or waiting for one. */
  readonly present: number;
  readonly pending: number;
  /** Nothing is left of its gangs: no member, and no PodGroup. */
  readonly isGone: boolean;
  /** None of its pods is Muster's to place. */
  readonly isForeign: boolean;
  /** It was reported last of all, and without a map of the cluster. */
  readonly lacksMap: boolean;
  /** From when on its members count as not tried by the scheduler, in ms since the epoch; absent: some are, or are gated. */
  readonly untriedFrom?: number | undefined;
  readonly unschedulable: () => readonly UnschedulableMember[];
  /** Nodes that have room for one more member of a kind, as far as is counted; without those that are known to be refused. */
  readonly untaken: (kind: string) => readonly string[];
  /** How many members of a kind have a node or are held for it, by node. */
  readonly alikeOn: (kind: string) => ReadonlyMap<string, number>;
  readonly gated: () => readonly GatedMember[];
  readonly nominated: () => readonly NominatedMember[];
  /** Members of a gang that are bound or held, or are about to be as `comes` says. */
  readonly placed: (gang: string, comes?: (uid: string) => boolean) => number;
}

/** What the policy functions are told of it. */
export function failureOf({ kind: _, ...failure }: UnschedulableMember): MemberFailure {
  return failure;
}

/** The calls that are not granted. */
export function openCalls({ calls }: Pick<Snapshot, "calls">): Call[] {
  return [...calls.values()].filter((call) => !call.isGranted);
}
