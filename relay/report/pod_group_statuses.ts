/**
 * Keeps the status of every PodGroup whose members this relay's scheduler places, and of what PodGroups are in.
 *
 * @module
 */
import { AbortError } from "p-retry";
import type { GroupingKind } from "../../shared/kubernetes/declaring/composite_pod_group.ts";
import type { PodGroup } from "../../shared/kubernetes/declaring/pod_group.ts";
import type { PodGroupStatus } from "../../shared/kubernetes/status/summary.ts";
import { followStatus, newlySeen, type StatusEvent } from "../../shared/cluster/followed_status.ts";
import type { KnownStatus } from "../../shared/cluster/reported_status.ts";
import {
  type ReportedIn,
  reportedOf,
  statusName,
  statusNames,
} from "../../shared/cluster/reported.ts";
import { gangId } from "../../shared/core/gang/facts.ts";
import { Alarm } from "../../shared/client/alarm.ts";
import { patiently } from "../../shared/client/patiently.ts";
import { StatusWriter } from "../../shared/client/status_writer.ts";
import { isOutdated, type KubeApi } from "../../shared/client/kube_api.ts";

/** What the statuses are made from, and the way out. */
export interface PodGroupStatusesOptions extends ReportedIn {
  readonly api: KubeApi;
  /** Told what was not written of which one: `podgroups.scheduling.k8s.io default/a`. */
  readonly failed: (of: string, error: Error) => void;
}

/** What is known of a status, and when it is looked at. */
interface Entry {
  known: KnownStatus;
  readonly alarm: Alarm;
}

/** The statuses of all PodGroups and CompositePodGroups. */
export class PodGroupStatuses {
  readonly #options: PodGroupStatusesOptions;
  readonly #writer: StatusWriter;
  readonly #entries = new Map<string, Entry>();
  #isLeading = false;

  constructor(options: PodGroupStatusesOptions) {
    this.#options = options;
    this.#writer = new StatusWriter(options.api);
  }

  /** Writes from now on, or not any more. Before all pods are known a gang would seem to have fewer members. */
  lead(isLeading: boolean): void {
    this.#isLeading = isLeading;
    for (const entry of this.#entries.values()) {
      if (isLeading) this.#happened(entry, { is: "changed" });
      else entry.alarm.stop();
    }
  }

  /** Writes nothing more. */
  stop(): void {
    this.lead(false);
  }

  /** A PodGroup was added or changed. */
  podGroupChanged(kind: GroupingKind, podGroup: PodGroup): void {
    const key = statusName(kind, gangId(podGroup.metadata));
    const before = this.#entries.get(key);
    if (before?.known.podGroup.metadata.uid === podGroup.metadata.uid) {
      return this.#happened(before, { is: "shown", podGroup });
    }
    before?.alarm.stop();
    const entry: Entry = {
      known: newlySeen(kind, podGroup),
      alarm: new Alarm(() => this.#look(entry)),
    };
    this.#entries.set(key, entry);
    this.#happened(entry, { is: "changed" });
  }

  /** A PodGroup is gone. */
  podGroupDeleted(kind: GroupingKind, podGroup: PodGroup): void {
    const key = statusName(kind, gangId(podGroup.metadata));
    const entry = this.#entries.get(key);
    if (entry?.known.podGroup.metadata.uid !== podGroup.metadata.uid) return;
    entry.alarm.stop();
    this.#entries.delete(key);
  }

  /** Something about a gang changed, by its `namespace/name`: its pods, or why they wait. */
  gangChanged(gang: string | undefined): void {
    if (gang === undefined || this.#entries.size === 0) return;
    for (const name of statusNames(gang, this.#options.cluster)) {
      const entry = this.#entries.get(name);
      if (entry) this.#happened(entry, { is: "changed" });
    }
  }

  #look(entry: Entry): void {
    this.#happened(entry, { is: "woken", reported: reportedOf(entry.known, this.#options) });
  }

  #happened(entry: Entry, event: StatusEvent): void {
    const { known, write, wakeAt } = followStatus(entry.known, event, Date.now());
    entry.known = known;
    if (this.#isLeading) entry.alarm.setBy(wakeAt);
    if (write) void this.#write(entry, write);
  }

  async #write(entry: Entry, fields: PodGroupStatus): Promise<void> {
    try {
      const answer = await patiently(() => {
        if (!this.#isLeading) throw new AbortError("the relay does not write any more");
        return this.#writer.write(entry.known, fields);
      });
      this.#happened(entry, { is: "written", answer });
    } catch (error) {
      const isTriedAgain = this.#isLeading && !isOutdated(error);
      const { kind, podGroup } = entry.known;
      if (isTriedAgain) {
        this.#options.failed(statusName(kind, gangId(podGroup.metadata)), error as Error);
      }
      this.#happened(entry, { is: "not written", isTriedAgain });
    }
  }
}
