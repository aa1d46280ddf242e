/**
 * For whom pods leave. Who evicted one knows that; a relay that was not there then finds it in the cluster: members for which
 * pods leave are nominated to their nodes.
 *
 * @module
 */
import { evictor } from "../core/attend/eviction.ts";
import { groupId } from "../core/gang/facts.ts";
import { titleOf } from "../core/words/why_pending.ts";
import { isEvicted } from "../kubernetes/status/disruption.ts";
import type { Cluster } from "./cluster.ts";
import type { Gang } from "./gang.ts";
import type { PodRecord } from "./pod_record.ts";

/** Says for whom a pod leaves; undefined: it was not evicted for a gang, as far as is known. */
export type EvictedFor = (record: PodRecord) => PodRecord["evictedFor"];

/** Of pods as they are now. */
export function evictedForIn(gangs: Cluster["gangs"]): EvictedFor {
  let nominated: ReadonlyMap<string, readonly Nominated[]> | undefined;
  return ({ pod, node, evictedFor }) => {
    if (evictedFor || node === undefined || !pod.metadata.deletionTimestamp) return evictedFor;
    if (!isEvicted(pod)) return undefined;
    nominated ??= Map.groupBy(nominatedIn(gangs), ({ node }) => node);
    const [first] = nominated.get(node) ?? [];
    if (!first || first.priority <= (pod.spec.priority ?? 0)) return undefined;
    const group = groupId(first.gang.read().spec);
    return { group, by: evictor(titleOf(group.split(","))) };
  };
}

interface Nominated {
  readonly node: string;
  readonly gang: Gang;
  readonly priority: number;
}

/** Members that go to a node when others have left it, those of the highest priority first. */
function nominatedIn(gangs: Cluster["gangs"]): Nominated[] {
  const members = [...gangs.values()].flatMap((gang) =>
    [...gang.lists.in("nominated")].map(({ pod: { spec, status } }) => (
      { node: status!.nominatedNodeName!, gang, priority: spec.priority ?? 0 }
    ))
  );
  return members.sort((a, b) => b.priority - a.priority);
}
