/**
 * Events on pods and PodGroups, each said once.
 *
 * @module
 */
import { createHash } from "node:crypto";
import type { Subject } from "../../shared/kubernetes/subject.ts";
import { type KubeApi, KubeError } from "./kube_api.ts";

/** Sentences remembered, so that the same is not said again. */
const remembered = 10_000;
/** Events are in no hurry: so many are written at a time. */
const atOnce = 4;

/** What an event says. */
export interface Words {
  readonly type: "Normal" | "Warning";
  readonly reason: string;
  readonly message: string;
  /** Tells it from the same said at other times, in ms since the epoch; absent: it is said once. */
  readonly at?: number;
}

/**
 * Writes events; a failure to do so is reported and changes nothing. An event is named after what it says, so that another
 * relay, or this one started anew, does not say it again.
 */
export class Events {
  readonly #api: KubeApi;
  readonly #failed: (error: Error) => void;
  readonly #said = new Set<string>();
  readonly #waiting: { namespace: string; event: Record<string, unknown> }[] = [];
  #writers = 0;

  constructor(api: KubeApi, failed: (error: Error) => void) {
    this.#api = api;
    this.#failed = failed;
  }

  /** Says something, unless it has been said before, or so much is waiting to be said that nobody would read it in time. */
  say({ apiVersion, kind, metadata }: Subject, { type, reason, message, at }: Words): void {
    const { namespace, name, uid, resourceVersion } = metadata;
    const key = `${uid} ${reason} ${message}${at === undefined ? "" : ` ${at}`}`;
    if (this.#said.has(key) || this.#waiting.length >= remembered) return;
    this.#said.add(key);
    if (this.#said.size > remembered) this.#said.delete(this.#said.values().next().value!);
    const now = new Date().toISOString();
    const event = {
      apiVersion: "v1",
      kind: "Event",
      metadata: { namespace, name: `${name.slice(0, 200)}.${digestOf(key)}` },
      involvedObject: { apiVersion, kind, namespace, name, uid, resourceVersion },
      type,
      reason,
      message,
      source: { component: "muster-relay" },
      reportingComponent: "muster.scheduling/relay",
      firstTimestamp: now,
      lastTimestamp: now,
      count: 1,
    };
    this.#waiting.push({ namespace, event });
    if (this.#writers < atOnce) void this.#write();
  }

  async #write(): Promise<void> {
    this.#writers++;
    for (let next = this.#waiting.shift(); next; next = this.#waiting.shift()) {
      await this.#api.createEvent(next.namespace, next.event).catch((error) => {
        if (!(error instanceof KubeError) || error.code !== 409) this.#failed(error);
      });
    }
    this.#writers--;
  }
}

/** Short enough for a name, and long enough that no two are alike. */
function digestOf(text: string): string {
  return createHash("sha256").update(text).digest("hex").slice(0, 32);
}
