/**
 * The deadlines of the cluster's Jobs.
 *
 * @module
 */
import { controllerOf, type Job } from "../kubernetes/declaring/job.ts";
import type { Pod } from "../kubernetes/types.ts";

/** In seconds, of those Jobs that have one. */
export class Deadlines {
  /** By the Job's uid. */
  readonly #seconds = new Map<string, number>();
  readonly #moved: (job: Job) => void;

  /** `moved` is told of each Job whose deadline is another. */
  constructor(moved: (job: Job) => void) {
    this.#moved = moved;
  }

  /** A Job was added or changed. */
  changed(job: Job): void {
    const { metadata: { uid }, spec } = job;
    const seconds = spec?.activeDeadlineSeconds;
    if (this.#seconds.get(uid) === seconds) return;
    if (seconds === undefined) this.#seconds.delete(uid);
    else this.#seconds.set(uid, seconds);
    this.#moved(job);
  }

  /** A Job is gone. */
  deleted(job: Job): void {
    if (this.#seconds.delete(job.metadata.uid)) this.#moved(job);
  }

  /** That of the Job that controls a pod. */
  of(pod: Pod): number | undefined {
    if (this.#seconds.size === 0) return undefined;
    return this.#seconds.get(controllerOf(pod) ?? "");
  }
}
