/**
 * The writes of a gang group's members that nothing waits for.
 *
 * @module
 */
import type { EffectOf } from "../core/attend/effect.ts";
import { times } from "../core/attend/times.ts";
import {
  annotation,
  conditionOf,
  nomination,
  noNomination,
  poke,
  type Write,
} from "../kubernetes/writes.ts";
import type { Cluster } from "./cluster.ts";
import type { GangGroup } from "./gang_group.ts";
import { parkedAnnotation, type PodRecord } from "./pod_record.ts";

/** Effects that are no more than writes. */
export type WrittenEffect = EffectOf<"poke" | "park" | "say" | "nominate" | "unnominate">;

/** Writes one after another, each as it is when its turn comes; none: it is of no use by then. */
export interface PendingWrite {
  /** What is written, for messages. */
  readonly what: string;
  readonly writes: () => Iterable<Write>;
}

/** No node has this name: who is nominated there for a moment takes nobody's room. */
const nowhere = "muster.scheduling";

/** What an effect asks for; `now` is in ms since the epoch. */
export function writesOf(
  effect: WrittenEffect,
  { group, cluster, now }: { group: GangGroup; cluster: Cluster; now: number },
): PendingWrite[] {
  const recordsOf = (uids: readonly string[]) => uids.flatMap((uid) => cluster.pods.get(uid) ?? []);
  switch (effect.do) {
    case "poke":
      return [waking(effect, { group, cluster, now })];
    case "park": {
      const members = group.gangs.flatMap((gang) => [...gang.members.values()]);
      return members.filter(({ node, foreign }) => !node && !foreign).map((record) =>
        of("annotation", record, (pod) => annotation(pod, { [parkedAnnotation]: "true" }))
      );
    }
    case "say": {
      const { reason, message } = effect;
      const condition = { type: "PodScheduled", status: "False", reason, message };
      return recordsOf(effect.uids).map((record) =>
        of(
          "condition",
          record,
          (pod) => record.isUngated ? undefined : conditionOf(pod, condition),
        )
      );
    }
    case "nominate":
      return effect.members.flatMap(({ uid, node }) =>
        recordsOf([uid]).map((record) =>
          of(
            "nomination",
            record,
            (pod) =>
              group.attended.nominated.get(uid) === node ? nomination(pod, { node }) : undefined,
          )
        )
      );
    case "unnominate":
      return recordsOf(effect.uids).map((record) => {
        // Refused where the pod has changed since: then it is looked at anew.
        const due = noNomination(record.pod.metadata);
        return of("nomination", record, () => due);
      });
  }
}

/**
 * The scheduler takes the end of a nomination for a pod that leaves, and tries whomever that may help: also one that no
 * annotation wakes. Where pods have just left its node that has done it, and without a nomination others would take the room.
 */
function waking(
  { pod: { namespace, name }, uid, node, isRoused }: EffectOf<"poke">,
  { group, cluster, now }: { group: GangGroup; cluster: Cluster; now: number },
): PendingWrite {
  const pod = { namespace, name, uid };
  const before = cluster.pods.get(uid)?.pod.status?.nominatedNodeName;
  return {
    what: `the annotation of pod ${namespace}/${name}`,
    *writes() {
      const { attended: { nominated, refused } } = group;
      // It has been tried since.
      if ((refused.get(uid)?.at ?? 0) > now) return;
      const there = node === undefined ? undefined : nominated.get(uid);
      if (!isRoused) return yield poke({ ...pod, node: there, at: now });
      const goal = () => group.attended.nominated.get(uid) ?? before;
      const keeps = hasJustRoom(goal(), { room: cluster.room, now });
      yield poke({ ...pod, node: keeps ? goal() : nowhere, at: now });
      if (keeps) return;
      const next = goal();
      yield next === undefined ? noNomination(pod) : nomination(pod, { node: next });
    },
  };
}

/** Whether the scheduler has just heard of more room on a node. */
function hasJustRoom(
  node: string | undefined,
  { room, now }: { room: Cluster["room"]; now: number },
): boolean {
  return node !== undefined && room.nodes.has(node) && now < room.changedAt(node) + times.heard;
}

function of(
  part: string,
  record: PodRecord,
  write: (pod: PodRecord["pod"]["metadata"]) => Write | undefined,
): PendingWrite {
  const { namespace, name } = record.pod.metadata;
  return {
    what: `the ${part} of pod ${namespace}/${name}`,
    writes: () => [write(record.pod.metadata)].flatMap((due) => due ?? []),
  };
}
