/**
 * Pods without a gang that wait for a node: whom the scheduler is about to try, for whom victims leave, and who has Muster's gate.
 * Of members of gangs their lists and plans say it.
 *
 * @module
 */
import type { Claim } from "../core/plan/demand.ts";
import { times } from "../core/attend/times.ts";
import { memberClassOf } from "../kubernetes/counting/census.ts";
import { fromScheduler } from "../kubernetes/status/sentence.ts";
import { isActive, isGated, type PodRecord } from "./pod_record.ts";

/** Those of one cluster. */
export class RegularPods {
  /** By uid, since when, in ms since the epoch. */
  readonly #untried = new Map<string, number>();
  readonly #gated = new Map<string, PodRecord>();
  readonly #nominated = new Map<string, { readonly record: PodRecord; readonly on: string }>();

  /** Whether the scheduler is about to try any; whom it has left untried for long it does not try. */
  areToBeTried(now: number): boolean {
    return this.#untried.values().some((since) => now < since + times.keepsHeld);
  }

  /** What those are going to take for which victims leave, those of the highest priority first. */
  claims(): Claim[] {
    return [...this.#nominated.values()].flatMap(({ on, record: { pod, node, requests } }) =>
      node ? [] : [{ node: on, requests, priority: pod.spec.priority ?? 0 }]
    ).sort((a, b) => b.priority - a.priority);
  }

  /** Those behind Muster's gate, where they have nothing to wait for. */
  gated(): PodRecord[] {
    return [...this.#gated.values()].filter(isGated);
  }

  /** A pod came, changed or was bound. */
  queue(record: PodRecord, now: number): void {
    const { gang, foreign, pod } = record;
    const isQueued = gang === undefined && memberClassOf(record) === "pending" && !isGated(record);
    const { uid } = pod.metadata;
    if (gang === undefined && !foreign && isGated(record)) this.#gated.set(uid, record);
    else this.#gated.delete(uid);
    if (!isQueued || fromScheduler(pod) !== undefined) this.#untried.delete(uid);
    else if (!this.#untried.has(uid)) this.#untried.set(uid, now);
  }

  /** A pod came or changed; true: it is a regular one, and is nominated to another node than before, or to none any more. */
  nominate(record: PodRecord): boolean {
    const { metadata: { uid }, spec, status } = record.pod;
    if (record.gang !== undefined) return false;
    const on = spec.nodeName || !isActive(record.pod) ? undefined : status?.nominatedNodeName;
    if (on === this.#nominated.get(uid)?.on) return false;
    if (on === undefined) this.#nominated.delete(uid);
    else this.#nominated.set(uid, { record, on });
    return true;
  }

  /** A pod is gone; true: it was nominated. */
  forget(uid: string): boolean {
    this.#untried.delete(uid);
    this.#gated.delete(uid);
    return this.#nominated.delete(uid);
  }
}
