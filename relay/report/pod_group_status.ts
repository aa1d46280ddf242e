/**
 * Keeps the status of every PodGroup whose members this relay's scheduler places.
 *
 * @module
 */
import { AbortError } from "p-retry";
import {
  type PodGroup,
  type PodGroupKind,
  podGroupKinds,
} from "../../shared/kubernetes/declaring/pod_group.ts";
import { statusOf } from "../../shared/kubernetes/writes.ts";
import type { PodGroupStatus } from "../../shared/kubernetes/status/summary.ts";
import { afterWrite, dueStatus, type KnownStatus } from "../../shared/cluster/reported_status.ts";
import { times } from "../../shared/core/attend/times.ts";
import { Alarm } from "../../shared/client/alarm.ts";
import { patiently } from "../../shared/client/patiently.ts";
import type { Cluster } from "../../shared/cluster/cluster.ts";
import type { Verdict } from "../../shared/core/attend/attended.ts";
import { type KubeApi, KubeError } from "../../shared/client/kube_api.ts";

/** What the statuses are made from, and the way out. */
export interface PodGroupStatusesOptions {
  readonly api: KubeApi;
  readonly cluster: Cluster;
  readonly schedulerNames: readonly string[];
  /** The verdict that `filter` answers with, by `namespace/name` of a gang. */
  readonly verdictOf: (gang: string) => Verdict | undefined;
  readonly failed: (podGroup: string, error: Error) => void;
}

/** What is known of a status, and what is done about it. */
interface Entry {
  known: KnownStatus;
  readonly alarm: Alarm;
  isWriting: boolean;
  /** To be looked at when the write has ended. */
  isDue: boolean;
}

/** The statuses of all PodGroups; one write at a time for each, always of what is so then. */
export class PodGroupStatuses {
  readonly #options: PodGroupStatusesOptions;
  readonly #entries = new Map<string, Entry>();
  /** Kinds that the API server serves without the subresource. */
  readonly #withoutStatus = new Set<PodGroupKind>();
  #isLeading = false;
  #isStopped = false;

  constructor(options: PodGroupStatusesOptions) {
    this.#options = options;
  }

  /** Writes from now on, or not any more. Before all pods are known a gang would seem to have fewer members. */
  lead(isLeading: boolean): void {
    this.#isLeading = isLeading;
    if (isLeading) { for (const entry of this.#entries.values()) this.#mark(entry); }
  }

  /** Writes nothing more. */
  stop(): void {
    this.#isStopped = true;
    for (const { alarm } of this.#entries.values()) alarm.stop();
  }

  /** A PodGroup was added or changed. */
  podGroupChanged(kind: PodGroupKind, podGroup: PodGroup): void {
    const key = keyOf(kind, idOf(podGroup));
    const before = this.#entries.get(key);
    if (before?.known.podGroup.metadata.uid === podGroup.metadata.uid) {
      before.known = { ...before.known, podGroup };
      return this.#mark(before);
    }
    before?.alarm.stop();
    const known = { kind, podGroup, written: undefined, differsSince: undefined, notBefore: 0 };
    const alarm = new Alarm(() => this.#look(entry));
    const entry: Entry = { known, alarm, isWriting: false, isDue: false };
    this.#entries.set(key, entry);
    this.#mark(entry);
  }

  /** A PodGroup is gone. */
  podGroupDeleted(kind: PodGroupKind, podGroup: PodGroup): void {
    const key = keyOf(kind, idOf(podGroup));
    const entry = this.#entries.get(key);
    if (entry?.known.podGroup.metadata.uid !== podGroup.metadata.uid) return;
    entry.alarm.stop();
    this.#entries.delete(key);
  }

  /** Something about a gang changed, by its `namespace/name`: its pods, or why they wait. */
  gangChanged(gang: string | undefined): void {
    if (gang === undefined || this.#entries.size === 0) return;
    for (const kind of podGroupKinds) {
      const entry = this.#entries.get(keyOf(kind, gang));
      if (entry) this.#mark(entry);
    }
  }

  #mark(entry: Entry): void {
    this.#lookAt(entry, Date.now() + times.statusSoon);
  }

  #lookAt(entry: Entry, at: number): void {
    if (this.#isLeading && !this.#isStopped) entry.alarm.setBy(at);
  }

  /** Writes what is missing, unless it is too soon for that. */
  #look(entry: Entry): void {
    entry.isDue = entry.isWriting;
    if (entry.isWriting || !this.#isLeading) return;
    const { cluster, schedulerNames, verdictOf } = this.#options;
    const id = idOf(entry.known.podGroup);
    const reported = { gang: cluster.gangs.get(id), verdict: verdictOf(id), schedulerNames };
    const now = Date.now();
    const due = dueStatus(entry.known, reported, now);
    entry.known = { ...entry.known, differsSince: due?.differsSince };
    if (due && now < due.dueAt) this.#lookAt(entry, due.dueAt);
    else if (due) void this.#write(entry, due.fields);
  }

  async #write(entry: Entry, fields: PodGroupStatus): Promise<void> {
    const at = Date.now();
    const began = entry.known;
    entry.isWriting = true;
    entry.known = { ...began, differsSince: undefined };
    try {
      const answer = await patiently(() => this.#patch(entry.known, fields));
      entry.known = afterWrite(entry.known, { began, fields, answer, at });
    } catch (error) {
      const code = error instanceof KubeError ? error.code : undefined;
      // It is gone, or newer than the relay knows: the watch will tell.
      if (code === 404 || code === 409 || this.#isStopped) return;
      this.#options.failed(idOf(began.podGroup), error as Error);
      const notBefore = at + times.statusAgain;
      entry.known = { ...entry.known, notBefore };
      this.#lookAt(entry, notBefore);
    } finally {
      entry.isWriting = false;
      if (entry.isDue) this.#mark(entry);
    }
  }

  async #patch({ kind, podGroup }: KnownStatus, status: PodGroupStatus): Promise<PodGroup> {
    if (this.#isStopped) throw new AbortError("the relay is stopping");
    const { api } = this.#options;
    const write = statusOf(podGroup, status);
    if (!this.#withoutStatus.has(kind)) {
      try {
        return await api.change({ ...write, path: `${write.path}/status` });
      } catch (error) {
        if (!(error instanceof KubeError) || error.code !== 404) throw error;
      }
    }
    const answer = await api.change<PodGroup>(write);
    // Without effect where the subresource has come meanwhile.
    const isSame = answer.metadata.resourceVersion === podGroup.metadata.resourceVersion;
    if (isSame) this.#withoutStatus.delete(kind);
    else this.#withoutStatus.add(kind);
    return answer;
  }
}

function keyOf(kind: PodGroupKind, id: string): string {
  return `${kind.group}|${id}`;
}

function idOf({ metadata: { namespace, name } }: PodGroup): string {
  return `${namespace}/${name}`;
}
