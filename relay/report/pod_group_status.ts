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
import {
  isTurn,
  missingFrom,
  type PodGroupStatus,
  podGroupStatus,
} from "../../shared/kubernetes/status/pod_group_status.ts";
import { patiently } from "../kube/binder.ts";
import type { Cluster } from "../cluster/cluster.ts";
import type { Verdict } from "../../shared/core/attend/attended.ts";
import { apiPath, type KubeApi, KubeError } from "../kube/kube_api.ts";

/** Changes of one burst are written together. */
const soonMs = 500;
/** Numbers and words wait longer, so that a turn that is near takes them along. */
const calmMs = 3000;
/** What somebody else has overwritten, or a write that failed, is written again after this time, and not sooner. */
const againMs = 30_000;

/** What the statuses are made from, and the way out. */
export interface PodGroupStatusesOptions {
  readonly api: KubeApi;
  readonly cluster: Cluster;
  /** The verdict that `filter` answers with, by `namespace/name` of a gang. */
  readonly verdictOf: (gang: string) => Verdict | undefined;
  readonly failed: (podGroup: string, error: Error) => void;
}

interface Entry {
  readonly kind: PodGroupKind;
  podGroup: PodGroup;
  /** What was written last, and the version that it gave. */
  written: { fields: PodGroupStatus; version: string | undefined; at: number } | undefined;
  /** Since when its status is not as it should be, in ms since the epoch. */
  differsSince: number | undefined;
  /** Nothing is written before, in ms since the epoch. */
  notBefore: number;
  timer: ReturnType<typeof setTimeout> | undefined;
  timerAt: number;
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
    for (const { timer } of this.#entries.values()) clearTimeout(timer);
  }

  /** A PodGroup was added or changed. */
  podGroupChanged(kind: PodGroupKind, podGroup: PodGroup): void {
    const key = keyOf(kind, idOf(podGroup));
    let entry = this.#entries.get(key);
    if (entry?.podGroup.metadata.uid === podGroup.metadata.uid) {
      entry.podGroup = podGroup;
    } else {
      clearTimeout(entry?.timer);
      entry = {
        kind,
        podGroup,
        written: undefined,
        differsSince: undefined,
        notBefore: 0,
        timer: undefined,
        timerAt: 0,
        isWriting: false,
        isDue: false,
      };
      this.#entries.set(key, entry);
    }
    this.#mark(entry);
  }

  /** A PodGroup is gone. */
  podGroupDeleted(kind: PodGroupKind, podGroup: PodGroup): void {
    const key = keyOf(kind, idOf(podGroup));
    const entry = this.#entries.get(key);
    if (entry?.podGroup.metadata.uid !== podGroup.metadata.uid) return;
    clearTimeout(entry.timer);
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
    this.#lookAt(entry, Date.now() + soonMs);
  }

  #lookAt(entry: Entry, at: number): void {
    if (!this.#isLeading || this.#isStopped) return;
    if (entry.timer !== undefined && entry.timerAt <= at) return;
    clearTimeout(entry.timer);
    entry.timerAt = at;
    entry.timer = setTimeout(() => {
      entry.timer = undefined;
      this.#look(entry);
    }, Math.max(0, at - Date.now()));
  }

  /** Writes what is missing, unless it is too soon for that. */
  #look(entry: Entry): void {
    entry.isDue = entry.isWriting;
    if (entry.isWriting || !this.#isLeading) return;
    const before = statusOf(entry);
    const wanted = this.#wanted(entry, before);
    if (!wanted || !missingFrom(before, wanted)) {
      entry.differsSince = undefined;
      return;
    }
    const now = Date.now();
    entry.differsSince ??= now;
    const soonest = Math.max(
      entry.notBefore,
      isOverwritten(entry) ? entry.written!.at + againMs : 0,
    );
    const dueAt = Math.max(soonest, isTurn(before, wanted) ? now : entry.differsSince + calmMs);
    if (now < dueAt) this.#lookAt(entry, dueAt);
    else void this.#write(entry, wanted);
  }

  /** Undefined: it is none of this relay's business. */
  #wanted({ kind, podGroup }: Entry, before: PodGroupStatus): PodGroupStatus | undefined {
    const { cluster, verdictOf } = this.#options;
    const id = idOf(podGroup);
    const gang = cluster.gangs.get(id);
    const read = gang?.read();
    const isItsOwn = read?.podGroup?.metadata.uid === podGroup.metadata.uid;
    const members = gang && isItsOwn ? gang.counted().map(([, record]) => record) : [];
    if (members.length > 0 && members.every(({ foreign }) => foreign)) return undefined;
    const verdict = verdictOf(id);
    const isRefused = verdict && verdict.reason !== "FunctionsUnreachable" &&
      (verdict.verdict === "reject" || ["Degraded", "SchedulerMismatch"].includes(verdict.reason));
    return podGroupStatus(kind, {
      before,
      facts: {
        minMember: read?.problem?.reason === "InvalidMinMember" ? undefined : read?.spec.minMember,
        members,
        ...(isRefused && { refusal: { reason: verdict.reason, message: verdict.message } }),
        now: new Date().toISOString().replace(/\.\d+Z$/, "Z"),
        apiVersion: podGroup.apiVersion,
      },
    });
  }

  async #write(entry: Entry, fields: PodGroupStatus): Promise<void> {
    const at = Date.now();
    const known = entry.podGroup;
    const before = statusOf(entry);
    entry.isWriting = true;
    entry.differsSince = undefined;
    try {
      const { metadata, status } = await patiently(() => this.#patch(entry, fields));
      entry.written = { fields: { ...before, ...fields }, version: metadata.resourceVersion, at };
      // What the watch has shown meanwhile is as new as the answer, or newer.
      if (entry.podGroup === known) {
        entry.podGroup = { ...known, metadata, ...(status && { status }) };
      }
    } catch (error) {
      const code = error instanceof KubeError ? error.code : undefined;
      // It is gone, or newer than the relay knows: the watch will tell.
      if (code === 404 || code === 409 || this.#isStopped) return;
      this.#options.failed(idOf(entry.podGroup), error as Error);
      entry.notBefore = at + againMs;
      this.#lookAt(entry, entry.notBefore);
    } finally {
      entry.isWriting = false;
      if (entry.isDue) this.#mark(entry);
    }
  }

  async #patch({ kind, podGroup }: Entry, status: PodGroupStatus): Promise<PodGroup> {
    if (this.#isStopped) throw new AbortError("the relay is stopping");
    const { namespace, name, resourceVersion } = podGroup.metadata;
    const [group = "", version = ""] = podGroup.apiVersion.split("/");
    const path = apiPath`/apis/${group}/${version}/namespaces/${namespace}/podgroups/${name}`;
    // Of another PodGroup of that name, or over what another relay says, nothing is written.
    const patch = { metadata: { resourceVersion }, status };
    const { api } = this.#options;
    if (!this.#withoutStatus.has(kind)) {
      try {
        return await api.merge(`${path}/status`, patch);
      } catch (error) {
        if (!(error instanceof KubeError) || error.code !== 404) throw error;
      }
    }
    const answer = await api.merge<PodGroup>(path, patch);
    // Without effect where the subresource has come meanwhile.
    if (answer.metadata.resourceVersion === resourceVersion) this.#withoutStatus.delete(kind);
    else this.#withoutStatus.add(kind);
    return answer;
  }
}

/** The status as far as it is known: also what was written, but finds no place in the definition of the kind. */
function statusOf({ podGroup, written }: Entry): PodGroupStatus {
  const isLatest = written?.version === podGroup.metadata.resourceVersion;
  return { ...podGroup.status, ...(isLatest && written?.fields) };
}

/** Whether somebody else says otherwise than what was written. */
function isOverwritten({ podGroup, written }: Entry): boolean {
  return written !== undefined && written.version !== podGroup.metadata.resourceVersion &&
    missingFrom(podGroup.status ?? {}, written.fields) !== undefined;
}

function keyOf(kind: PodGroupKind, id: string): string {
  return `${kind.group}|${id}`;
}

function idOf({ metadata: { namespace, name } }: PodGroup): string {
  return `${namespace}/${name}`;
}
