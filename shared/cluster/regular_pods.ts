/**
 * Pods without a gang that wait for a node: whom the scheduler is about to try, and for whom victims leave. Of members of gangs
 * their lists and plans say it.
 *
 * @module
 */
import type { Claim } from "../core/plan/demand.ts";
import { times } from "../core/attend/times.ts";
import { memberClassOf } from "../kubernetes/counting/census.ts";
import { fromScheduler } from "../kubernetes/status/sentence.ts";
import { isGated, type PodRecord } from "./pod_record.ts";

/** Those of one cluster. */
export class RegularPods {
  /** By uid, since when, in ms since the epoch. */
  readonly #untried = new Map<string, number>();
  readonly #nominated = new Map<string, PodRecord>();

  /** Whether the scheduler is about to try any; whom it has left untried for long it does not try. */
  areToBeTried(now: number): boolean {
    return this.#untried.values().some((since) => now < since + times.keepsHeld);
  }

  /** What those are going to take for which victims leave, those of the highest priority first. */
  claims(): Claim[] {
    return [...this.#nominated.values()].flatMap(({ pod, node, requests }) => {
      const { nominatedNodeName } = pod.status ?? {};
      if (node || !nominatedNodeName) return [];
      return [{ node: nominatedNodeName, requests, priority: pod.spec.priority ?? 0 }];
    }).sort((a, b) => b.priority - a.priority);
  }

  /** A pod came, changed or was bound. */
  queue(record: PodRecord, now: number): void {
    const { gang, pod } = record;
    const isQueued = gang === undefined && memberClassOf(record) === "pending" && !isGated(record);
    const { uid } = pod.metadata;
    if (!isQueued || fromScheduler(pod) !== undefined) this.#untried.delete(uid);
    else if (!this.#untried.has(uid)) this.#untried.set(uid, now);
  }

  /** A pod came or changed that was nominated to the node `before`; true: it is a regular one, and is to another now, or to none. */
  nominate(record: PodRecord, before: string | undefined): boolean {
    const { metadata, spec, status } = record.pod;
    if (record.gang !== undefined || status?.nominatedNodeName === before) return false;
    const isNominated = status?.nominatedNodeName !== undefined && !spec.nodeName;
    if (isNominated) this.#nominated.set(metadata.uid, record);
    else this.#nominated.delete(metadata.uid);
    return true;
  }

  /** A pod is gone. */
  forget(uid: string): void {
    this.#untried.delete(uid);
    this.#nominated.delete(uid);
  }
}
