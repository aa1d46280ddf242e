/**
 * A pod as the relay knows it.
 *
 * @module
 */
import { createHash } from "node:crypto";
import type { Resources } from "../../shared/core/room/fit.ts";
import { type ForeignScheduler, gangId } from "../../shared/core/gang/facts.ts";
import { classOf, ownGate } from "../../shared/kubernetes/counting/census.ts";
import { membershipOf } from "../../shared/kubernetes/declaring/dialect.ts";
import { placementKey } from "../../shared/kubernetes/counting/node_match.ts";
import { requestsOf } from "../../shared/kubernetes/counting/requests.ts";
import { foreignSchedulerOf } from "../../shared/kubernetes/scheduler_name.ts";
import type { Pod } from "../../shared/kubernetes/types.ts";

/** A pod, and what the relay knows of it beyond the API server's copy. */
export interface PodRecord {
  pod: Pod;
  /** `namespace/name` of its gang; undefined for a regular pod. */
  readonly gang: string | undefined;
  /** Set where it is not Muster's to place. */
  readonly foreign: ForeignScheduler | undefined;
  requests: Resources;
  /** Pods of one kind ask for the same on the same nodes. */
  kind: string;
  /** The node it is bound to, which the relay may know before the pod shows it. */
  node: string | undefined;
  /** Muster's scheduling gate has been removed, which the relay may know before the pod shows it. */
  isUngated: boolean;
  /** It has just begun to leave, or is about to for a preemptor, by uid; `until` is in ms since the epoch. */
  leaves: { readonly preemptor: string | undefined; readonly until: number } | undefined;
  /** For whom the scheduler may evict it, in words. */
  evictableFor?: string;
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
    isUngated: false,
    leaves: undefined,
  };
}

/** What a pod asks for. */
export function needsOf(pod: Pod): Pick<PodRecord, "requests" | "kind"> {
  const requests = requestsOf(pod);
  return { requests, kind: short(JSON.stringify([...requests].sort()) + placementKey(pod)) };
}

/** Selectors and affinity may be as long as a pod: what stands for them in every plan is not. */
function short(kind: string): string {
  return kind.length > longestKind ? createHash("sha256").update(kind).digest("hex") : kind;
}

const longestKind = 500;

/** Whether a pod shows Muster's gate. */
export function hasGate(pod: Pod): boolean {
  return pod.spec.schedulingGates?.some(({ name }) => name === ownGate) ?? false;
}

/** Whether a pod waits behind Muster's gate. */
export function isGated({ pod, isUngated }: PodRecord): boolean {
  return !isUngated && hasGate(pod);
}

/** A scheduler has heard after this time, in ms, that a pod is on its way out. */
const heardWithinMs = 1000;

/** A pod was asked to end. */
export function leaving(): PodRecord["leaves"] {
  return { preemptor: undefined, until: Date.now() + heardWithinMs };
}

/** Whether a pod still takes room on its node. */
export function isActive(pod: Pod): boolean {
  const memberClass = classOf(pod);
  return memberClass !== "succeeded" && memberClass !== "failed";
}
