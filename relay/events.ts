/**
 * Events on pods, each said once.
 *
 * @module
 */
import type { Pod } from "../shared/kubernetes/types.ts";
import type { KubeApi } from "./kube_api.ts";

/** Sentences remembered, so that the same is not said again. */
const remembered = 10_000;

/** Writes events; a failure to do so is reported and changes nothing. */
export class Events {
  readonly #api: KubeApi;
  readonly #failed: (error: Error) => void;
  readonly #said = new Set<string>();

  constructor(api: KubeApi, failed: (error: Error) => void) {
    this.#api = api;
    this.#failed = failed;
  }

  /** Says something about a pod, unless it has been said of it before. */
  warn(pod: Pod, reason: string, message: string): void {
    const key = `${pod.metadata.uid} ${reason} ${message}`;
    if (this.#said.has(key)) return;
    this.#said.add(key);
    if (this.#said.size > remembered) this.#said.delete(this.#said.values().next().value!);
    const { namespace, name, uid, resourceVersion } = pod.metadata;
    const now = new Date().toISOString();
    this.#api.createEvent(namespace, {
      apiVersion: "v1",
      kind: "Event",
      metadata: { namespace, generateName: `${name.slice(0, 230)}.` },
      involvedObject: { apiVersion: "v1", kind: "Pod", namespace, name, uid, resourceVersion },
      type: "Warning",
      reason,
      message,
      source: { component: "muster-relay" },
      reportingComponent: "muster.scheduling/relay",
      firstTimestamp: now,
      lastTimestamp: now,
      count: 1,
    }).catch(this.#failed);
  }
}
