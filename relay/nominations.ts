/**
 * Takes nominations back that have come to nothing.
 *
 * @module
 */
import { nominationsEndAt } from "../shared/core/nomination.ts";
import type { GangGroup } from "./gang_group.ts";
import { isOutdated } from "./kube_api.ts";
import type { PodRecord } from "./pod_record.ts";
import type { World } from "./world.ts";

/** Watches over the nominations of members. */
export class Nominations {
  readonly #world: World;
  /** The pods as they were when their nomination was taken back. */
  readonly #takenBack = new WeakSet<PodRecord["pod"]>();

  constructor(world: World) {
    this.#world = world;
  }

  /** When nominations of a group are to be taken back, in ms since the epoch; Infinity: there are none. */
  dueAt(group: GangGroup): number {
    const at = nominationsEndAt(group);
    return at === Infinity || this.#nominated(group).length === 0 ? Infinity : at;
  }

  /** Takes back what is due. */
  takeBack(group: GangGroup): void {
    if (Date.now() < nominationsEndAt(group)) return;
    for (const { pod } of this.#nominated(group)) {
      this.#takenBack.add(pod);
      this.#world.unnominate(pod.metadata).catch((error) => {
        // What has changed is looked at anew.
        if (isOutdated(error)) return;
        this.#world.metrics.writeFailed(`the nomination of pod ${pod.metadata.name}`, error);
      });
    }
  }

  #nominated(group: GangGroup): PodRecord[] {
    return group.gangs.flatMap((gang) => [...gang.members.values()]).filter(({ pod, node }) =>
      pod.status?.nominatedNodeName && !node && !pod.metadata.deletionTimestamp &&
      !this.#world.holds.get(pod.metadata.uid) && !this.#takenBack.has(pod)
    );
  }
}
