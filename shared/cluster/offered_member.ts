/**
 * A member that the scheduler's own plugins take on some nodes.
 *
 * @module
 */
import type { OfferedMember } from "../core/attend/offer.ts";
import type { Mover, Spare } from "../core/attend/spare.ts";
import { isIndifferent } from "../kubernetes/counting/preference.ts";
import type { Node, Pod } from "../kubernetes/types.ts";
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
    isIndifferent: record !== undefined && isIndifferent(record.pod, lastChoicesIn(nodes, cluster)),
    alikeOn: () => mover ? alikeOn(group, mover.kind) : new Map(),
    roomOn: mover ? spare.roomFor(mover) : () => "spare",
    hasJustChanged: (node) => cluster.room.hasJustChanged(node, now),
    fullestOf: (nodes) => mover ? spare.fullestOf(mover, nodes) : nodes[0],
  };
}

/** Of very many nodes few have such taints, and most often none has. */
function lastChoicesIn(nodes: readonly string[], { room: { lastChoices } }: Cluster): Node[] {
  return lastChoices.size === 0 ? [] : nodes.flatMap((name) => lastChoices.get(name) ?? []);
}

/** What a member takes with it to a node. */
export function moverOf({ pod, kind, requests }: PodRecord, { id }: GangGroup): Mover {
  return { uid: pod.metadata.uid, group: id, kind, requests };
}
