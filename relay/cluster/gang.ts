/**
 * A gang as the relay sees it.
 *
 * @module
 */
import {
  type PodGroupLookup,
  type ReadGang,
  readGang,
} from "../../shared/kubernetes/declaring/gang_reader.ts";
import { classOf } from "../../shared/kubernetes/counting/census.ts";
import type { PodGroup } from "../../shared/kubernetes/declaring/pod_group.ts";
import type { Condition, Pod } from "../../shared/kubernetes/types.ts";
import type { Holds } from "../scheduler/holds.ts";
import type { PodRecord } from "./pod_record.ts";

/** The pods of one gang, and what they declare. */
export class Gang {
  readonly id: string;
  readonly members = new Map<string, PodRecord>();
  /** Members that show Muster's scheduling gate, by uid. */
  readonly gated = new Map<string, PodRecord>();
  readonly #findPodGroup: PodGroupLookup;
  #read: ReadGang | undefined;

  constructor(id: string, findPodGroup: PodGroupLookup) {
    this.id = id;
    this.#findPodGroup = findPodGroup;
  }

  /** The gang's spec; remembered until its members or its PodGroup change, and beyond the last member. */
  read(): ReadGang {
    if (!this.#read && this.members.size > 0) {
      this.#read = readGang(
        [...this.members.values()].map((record) => record.pod),
        this.#findPodGroup,
      );
    }
    return this.#read!;
  }

  /** Whether nothing is left of it: no member, and no PodGroup. */
  get isGone(): boolean {
    if (this.members.size > 0) return false;
    const { spec, podGroupKind } = this.read();
    return !podGroupKind || !this.#findPodGroup(podGroupKind, spec.namespace, spec.name);
  }

  /** The members that count: pods that were bound for an earlier PodGroup of this name do not (S3). */
  counted(): [uid: string, record: PodRecord][] {
    const { podGroup } = this.read();
    return [...this.members].filter(([, { pod }]) => !podGroup || !isOfEarlier(podGroup, pod));
  }

  /** How many members are held or have a node, or are about to as `isComing` says. */
  placed(holds: Holds, isComing: (uid: string) => boolean = () => false): number {
    return this.counted().filter(([uid, { pod, node }]) =>
      holds.get(uid) || isComing(uid) || (node && classOf(pod, node) === "bound")
    ).length;
  }

  /** The members or the PodGroup changed. */
  changed(): void {
    if (this.members.size > 0) this.#read = undefined;
  }
}

/** Whether a pod was bound before the PodGroup was created; a pod may be created before its PodGroup. */
function isOfEarlier(podGroup: PodGroup, pod: Pod): boolean {
  const { creationTimestamp } = podGroup.metadata;
  if (!pod.spec.nodeName || creationTimestamp === undefined) return false;
  const scheduled = pod.status?.conditions?.find(({ type }) => type === "PodScheduled");
  // A pod that was created with a node may have no such condition.
  const boundAt = scheduled ? boundAtOf(scheduled) : pod.metadata.creationTimestamp;
  return boundAt !== undefined && Date.parse(boundAt) < Date.parse(creationTimestamp);
}

function boundAtOf({ status, lastTransitionTime }: Condition): string | undefined {
  return status === "True" ? lastTransitionTime : undefined;
}
