/**
 * A member that the scheduler's own plugins take on some nodes.
 *
 * @module
 */
import type { OfferedMember } from "../core/attend/offer.ts";
import type { Mover, Spare } from "../core/attend/spare.ts";
import { isIndifferent } from "../kubernetes/counting/preference.ts";
import type { Pod } from "../kubernetes/types.ts";
import { alikeOn } from "./alike_on.ts";
import type { Cluster } from "./cluster.ts";
import type { GangGroup } from "./gang_group.ts";
import type { PodRecord } from "./pod_record.ts";

/** The scheduler looks at some nodes only once so many take a pod (`minFeasibleNodesToFind`). */
const leastSample = 100;

/** The member as `filter` is asked about it. */
export function offeredMember(
  { metadata: { uid }, status }: Pod,
  { gang, nodes, group, cluster, spare, now }: {
    gang: string;
    nodes: readonly string[];
    group: GangGroup;
    cluster: Cluster;
    spare: Spare;
    /** In ms since the epoch. */
    now: number;
  },
): OfferedMember {
  const record = cluster.pods.get(uid);
  const mover = record && moverOf(record, group);
  const nominated = status?.nominatedNodeName;
  return {
    uid,
    gang,
    kind: mover?.kind,
    nodes,
    nominated,
    isPart: nodes.length >= leastSample,
    isIndifferent: record !== undefined &&
      isIndifferent(record.pod, nodes.flatMap((name) => cluster.room.nodes.get(name) ?? [])),
    alikeOn: () => mover ? alikeOn(group, mover.kind) : new Map(),
    roomOn: mover ? spare.roomFor(mover) : () => "spare",
    hasJustChanged: (node) => cluster.room.hasJustChanged(node, now),
    fullestOf: (roomy) => mover ? spare.fullestOf(mover, roomy) : roomy[0]!,
  };
}

/** What a member takes with it to a node. */
export function moverOf({ pod, kind, requests }: PodRecord, { id }: GangGroup): Mover {
  return { uid: pod.metadata.uid, group: id, kind, requests };
}
