/**
 * Events on pods and PodGroups, each said once.
 *
 * @module
 */
import { createHash } from "node:crypto";
import pLimit from "p-limit";
import type { Subject } from "../../shared/kubernetes/subject.ts";
import { event, type Words } from "../../shared/kubernetes/writes.ts";
import { isOutdated, type KubeApi } from "../../shared/client/kube_api.ts";
import { persistently } from "../../shared/client/patiently.ts";

/** Sentences remembered, so that the same is not said again. */
const remembered = 10_000;
/** Events are in no hurry: so many are written at a time, and each so often again, within a minute and a half. */
const atOnce = 4;
const retries = 12;

/**
 * Writes events; a failure to do so is reported and changes nothing. An event is named after what it says, so that another
 * relay, or this one started anew, does not say it again.
 */
export class Events {
  readonly #api: KubeApi;
  readonly #failed: (error: Error) => void;
  readonly #said = new Set<string>();
  readonly #limited = pLimit(atOnce);

  constructor(api: KubeApi, failed: (error: Error) => void) {
    this.#api = api;
    this.#failed = failed;
  }

  /**
   * Says something, unless it has been said before, or so much is waiting to be said that nobody would read it in time; `at`, in
   * ms since the epoch, tells it from the same said at other times.
   */
  say(about: Subject, words: Words & { readonly at?: number }): void {
    const { reason, message, at } = words;
    const key = `${about.metadata.uid} ${reason} ${message}${at === undefined ? "" : ` ${at}`}`;
    if (this.#said.has(key) || this.#limited.pendingCount >= remembered) return;
    this.#said.add(key);
    if (this.#said.size > remembered) this.#said.delete(this.#said.values().next().value!);
    const write = event(about, { ...words, id: digestOf(key), at: Date.now() });
    persistently(() => this.#limited(() => this.#api.write(write)), this.#failed, { retries })
      .catch((error) => isOutdated(error) || this.#failed(error));
  }
}

/** Short enough for a name, and long enough that no two are alike. */
function digestOf(text: string): string {
  return createHash("sha256").update(text).digest("hex").slice(0, 32);
}
