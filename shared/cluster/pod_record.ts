/**
 * A pod as the relay knows it.
 *
 * @module
 */
import type { Call } from "../core/attend/snapshot.ts";
import { times } from "../core/attend/times.ts";
import { type ForeignScheduler, gangId } from "../core/gang/facts.ts";
import { classOf, memberClassOf, ownGate } from "../kubernetes/counting/census.ts";
import { ownerOf } from "../kubernetes/declaring/job.ts";
import { membershipOf } from "../kubernetes/declaring/dialect.ts";
import { koordinator } from "../kubernetes/declaring/pod_group.ts";
import { foreignSchedulerOf } from "../kubernetes/scheduler_name.ts";
import type { Pod } from "../kubernetes/types.ts";
import { needsOf, type PodNeeds } from "./pod_needs.ts";

/** That a pod leaves soon. */
export interface Leaves {
  /** By uid; undefined: it leaves for none that is known. */
  readonly preemptor: string | undefined;
  /** In ms since the epoch. */
  readonly until: number;
  /** It was left to the same preemptor before: the scheduler could not evict it. */
  readonly isAgain?: boolean;
}

/** A pod, and what the relay knows of it beyond the API server's copy. */
export interface PodRecord extends PodNeeds {
  pod: Pod;
  /** `namespace/name` of its gang; undefined for a regular pod. */
  readonly gang: string | undefined;
  /** Set where it is not Muster's to place. */
  readonly foreign: ForeignScheduler | undefined;
  /** The node it is bound to, which the relay may know before the pod shows it. */
  node: string | undefined;
  /** When it was bound by the relay, in ms since the epoch: before the pod shows it. */
  boundAt?: number;
  /** When the relay saw it end, in ms since the epoch: where the pod does not say it. */
  endedAt?: number;
  /** Its open bind call. */
  call: Call | undefined;
  /** It was let go. */
  wasHeld?: boolean;
  /** Muster's scheduling gate has been removed, which the relay may know before the pod shows it. */
  isUngated: boolean;
  /** It has just begun to leave, or is about to; undefined: it never was. */
  leaves: Leaves | undefined;
  /** For whom the scheduler may evict it, in words. */
  evictableFor?: string;
  /** The relay evicts it for a gang group, by canonical name, or because its gang is broken for that; `by` is in words. */
  evictedFor?: { readonly group: string | undefined; readonly by: string };
  /** It is not evicted before that, in ms since the epoch. */
  sparedUntil?: number;
}

/** `namespace/name` of a pod's gang; undefined for a regular pod. */
export function gangOf(pod: Pod): string | undefined {
  const membership = membershipOf(pod);
  return membership && gangId(membership);
}

/** What is known of a pod when it is first seen; `served` are the names of Muster's scheduler, all there are where absent. */
export function recordOf(pod: Pod, served: readonly string[] | undefined): PodRecord {
  return {
    pod,
    gang: gangOf(pod),
    foreign: served && foreignSchedulerOf(pod, served),
    ...needsOf(pod),
    node: pod.spec.nodeName,
    call: undefined,
    isUngated: false,
    leaves: undefined,
  };
}

/** Whether a pod waits behind Muster's gate. */
export function isGated({ pod, isUngated }: PodRecord): boolean {
  return !isUngated && (pod.spec.schedulingGates?.some(({ name }) => name === ownGate) ?? false);
}

/** Whether a pod that is Muster's to place is neither held nor on a node; one that is gone does not wait. */
export function isWaiting(record: PodRecord | undefined): boolean {
  return record !== undefined && !record.node && !record.call && !record.foreign;
}

/** The node that a pod has or is held for; one that was asked to end, or has ended, has none any more. */
export function nodeOf(record: PodRecord): string | undefined {
  return memberClassOf(record) === "bound" ? record.node : record.call?.pod.node;
}

/** Set to "true" on the members of a gang that timed out and is not scheduled any more (S3). */
export const parkedAnnotation = `${koordinator}timeout`;

/** Whether a pod is annotated as parked. */
export function isParked({ metadata }: Pod): boolean {
  return metadata.annotations?.[parkedAnnotation] === "true";
}

/** Whether a pod was asked to end. */
export function isLeaving({ pod }: PodRecord): boolean {
  return pod.metadata.deletionTimestamp !== undefined;
}

/** A pod was asked to end; `now` is in ms since the epoch. */
export function leaving(preemptor: string | undefined, now: number): Leaves {
  return { preemptor, until: now + times.heard };
}

/** Whether a pod has just begun to leave, or is about to for a preemptor; `now` is in ms since the epoch. */
export function isOnItsWay({ leaves }: PodRecord, now: number): boolean {
  return leaves !== undefined && now < leaves.until;
}

/** When it started, or was created, in ms since the epoch. */
export function startedAt({ metadata: { creationTimestamp }, status }: Pod): number {
  return Date.parse(status?.startTime ?? creationTimestamp ?? "") || 0;
}

/** Whether a pod still takes room on its node. */
export function isActive(pod: Pod): boolean {
  const memberClass = classOf(pod);
  return memberClass !== "succeeded" && memberClass !== "failed";
}

/** Whether a pod is the node's own, whose eviction frees nothing; kubelet deletes what others call so. */
export function isStatic({ metadata }: Pod): boolean {
  return metadata.annotations?.["kubernetes.io/config.mirror"] !== undefined;
}

/**
 * Whether a pod is there for as long as its node: a static one, or a DaemonSet's. Kubernetes ends pods that name a DaemonSet
 * which is not there, or is not theirs.
 */
export function staysForGood(pod: Pod): boolean {
  const owner = ownerOf(pod);
  return isStatic(pod) ||
    owner?.kind === "DaemonSet" && owner.apiVersion?.startsWith("apps/") === true;
}
