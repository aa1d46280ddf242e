/**
 * One gang group's way through the scheduler: member by member, and again in another order where it did not come through,
 * as Muster lets the gang try again.
 *
 * @module
 */
import type { Cluster } from "../../../shared/cluster/cluster.ts";
import type { Gang } from "../../../shared/cluster/gang.ts";
import type { PlannedPlace } from "../../../shared/cluster/planned_places.ts";
import type { PodRecord } from "../../../shared/cluster/pod_record.ts";
import { memberClassOf } from "../../../shared/kubernetes/counting/census.ts";
import { SchedulerView } from "./scheduler_choice.ts";

/** Where the members go, and who leaves for them; or the first member without a node. */
export type Attempted =
  | { readonly placed: readonly PlannedPlace[]; readonly victims: readonly PodRecord[] }
  | { readonly unplaced: PodRecord };

/** So often a gang is tried; then it is taken for one that does not get through. */
const attempts = 12;

/** Tries the gangs of a group; each needs so many more members, by `namespace/name`. Further members go where room is left. */
export function attempt(
  gangs: readonly Pick<Gang, "id" | "members">[],
  { cluster, needs }: { cluster: Cluster; needs: Readonly<Record<string, number>> },
): Attempted {
  const chance = seeded();
  let first: Attempted | undefined;
  for (let count = 0; count < attempts; count++) {
    const found = attemptOnce(gangs, { cluster, needs, chance, isShuffled: count > 0 });
    if (!("unplaced" in found)) return found;
    first ??= found;
  }
  return first!;
}

function attemptOnce(
  gangs: readonly Pick<Gang, "id" | "members">[],
  { cluster, needs, chance, isShuffled }: {
    cluster: Cluster;
    needs: Readonly<Record<string, number>>;
    chance: () => number;
    isShuffled: boolean;
  },
): Attempted {
  const view = new SchedulerView(cluster, chance);
  const placed: PlannedPlace[] = [];
  const victims: PodRecord[] = [];
  const surplus: PodRecord[] = [];
  for (const gang of gangs) {
    let need = needs[gang.id] ?? 0;
    let unplaced: PodRecord | undefined;
    for (const record of waitingOf(gang, isShuffled ? chance : undefined)) {
      if (need === 0) {
        surplus.push(record);
        continue;
      }
      const found = placeIn(view, record);
      if (!found) unplaced ??= record;
      else {
        need--;
        placed.push({ record, node: found.node });
        victims.push(...found.victims);
      }
    }
    if (need > 0) return { unplaced: unplaced! };
  }
  for (const record of surplus) {
    const node = view.place(record);
    if (node !== undefined) placed.push({ record, node });
  }
  return { placed, victims };
}

function placeIn(
  view: SchedulerView,
  record: PodRecord,
): { node: string; victims: PodRecord[] } | undefined {
  const node = view.place(record);
  if (node !== undefined) return { node, victims: [] };
  return record.pod.spec.preemptionPolicy === "Never" ? undefined : view.preempt(record);
}

/** The oldest first, as the scheduler's queue has them; or in any order, as back-offs leave them. */
function waitingOf({ members }: Pick<Gang, "members">, chance?: () => number): PodRecord[] {
  const waiting = [...members.values()].filter((record) => memberClassOf(record) === "pending");
  if (!chance) return waiting;
  return waiting.map((record) => ({ record, at: chance() }))
    .sort((a, b) => a.at - b.at).map(({ record }) => record);
}

/** The same numbers from 0 to 1 each time (mulberry32): the same cluster gets the same verdicts. */
function seeded(): () => number {
  let state = 1;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}
