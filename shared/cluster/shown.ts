/**
 * What goes with the facts of a gang group for whoever looks; no decision reads it.
 *
 * @module
 */
import { type GangFacts, gangId, type Group } from "../core/gang/facts.ts";
import { ClusterMaps, type MapsOf } from "./cluster_maps.ts";
import { groupPods, type Whereabouts } from "./gang_pods.ts";
import type { GangGroup } from "./gang_group.ts";
import { groupTimes } from "./gang_times.ts";
import type { PodRecord } from "./pod_record.ts";
import { resourceAmounts } from "./resource_amounts.ts";

/** Where it is taken from. */
export interface ShownOf extends Whereabouts, MapsOf {
  /** Open bind calls. */
  readonly holds: Iterable<{ readonly record: PodRecord }>;
}

/** Tells of a cluster beside the facts of its groups. */
export class Shown {
  readonly #from: ShownOf;
  readonly #maps: ClusterMaps;
  #withoutMap: GangGroup | undefined;

  constructor(from: ShownOf) {
    this.#from = from;
    this.#maps = new ClusterMaps(from);
  }

  /** What is shown of these gangs, and of the cluster around them; `now` is in ms since the epoch. */
  of(
    gangs: readonly Pick<GangFacts, "gang">[],
    now: number,
  ): Pick<Group, "resources" | "map" | "pods" | "times"> {
    const { cluster, holds, groupOf } = this.#from;
    const map = this.#maps.take(now);
    this.#noteLast(this.#maps.isOwed ? groupOf(gangId(gangs[0]!.gang)) : undefined);
    return {
      resources: resourceAmounts(cluster.room, holds),
      ...(map && { map }),
      pods: groupPods(gangs, { cluster, groupOf }),
      times: groupTimes(gangs, { cluster, groupOf, now }),
    };
  }

  /** The last group without a map is reported anew, so that the map shows in the end what is so. */
  #noteLast(withoutMap: GangGroup | undefined): void {
    if (this.#withoutMap) this.#withoutMap.lacksMap = false;
    if (withoutMap) withoutMap.lacksMap = true;
    this.#withoutMap = withoutMap;
  }
}
