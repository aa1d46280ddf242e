/**
 * What `filter` answers about a member, and what its group hears of that.
 *
 * @module
 */
import type { Attended } from "../core/attend/attended.ts";
import type { Decisions } from "../core/attend/decisions.ts";
import type { EventOf } from "../core/attend/event.ts";
import { offeredAgain } from "../core/attend/refused_nodes.ts";
import type { Snapshot } from "../core/attend/snapshot.ts";
import type { Spare } from "../core/attend/spare.ts";
import type { Pod } from "../kubernetes/types.ts";
import type { Cluster } from "./cluster.ts";
import type { GangGroup } from "./gang_group.ts";
import { moverOf, offeredMember } from "./offered_member.ts";
import { newRefusal } from "./refusals.ts";

/** The scheduler tries a member: its gang, and the nodes on which the scheduler's own plugins take it. */
export interface Trial {
  readonly gang: string;
  readonly nodes: readonly string[];
}

/** What answers are made from. */
export interface Filtering {
  readonly decisions: Pick<Decisions, "refusalOf" | "offer">;
  readonly cluster: Cluster;
  /** Of the member's gang; undefined: that has not been seen yet. */
  readonly group: GangGroup | undefined;
  readonly spare: Spare;
  /** In ms since the epoch. */
  readonly now: number;
}

/** The nodes that a member may take; none: why not now. */
export interface Filtered {
  readonly nodes: readonly string[];
  readonly sentence?: string | undefined;
  /** What is known of its group from then on. */
  readonly attended?: Attended;
  /** What its group hears, so that the member is woken when it may be tried. */
  readonly event?: EventOf<"refused"> | undefined;
}

/** Those of the nodes that a member may take, which is on its way to them then. */
export function filterMember(pod: Pod, trial: Trial, filtering: Filtering): Filtered {
  const { decisions, cluster, group, spare, now } = filtering;
  const event = refusalNow(pod, trial, filtering);
  if (event || !group) return { nodes: [], sentence: event?.refusal.sentence, event };
  const member = offeredMember(pod, { ...trial, group, cluster, spare, now });
  const { attended, nodes, refusal } = decisions.offer(group.attended, member, now);
  const record = cluster.pods.get(member.uid);
  if (record) spare.moves(moverOf(record, group), { nodes, now });
  if (!refusal) return { attended, nodes };
  const { uid, gang, kind } = member;
  const noted = newRefusal(pod, { ...refusal, gang, kind }, now);
  return {
    attended,
    nodes,
    sentence: noted.sentence,
    ...(!refusal.isAskedAgain && { event: { is: "refused", uid, refusal: noted } }),
  };
}

/** That the scheduler may not try a member now, wherever; undefined: it may. */
export function refusalNow(
  pod: Pod,
  { gang, nodes }: Trial,
  { decisions, cluster, group, now }: Omit<Filtering, "spare">,
): EventOf<"refused"> | undefined {
  const { uid } = pod.metadata;
  const placed: Snapshot["placed"] = (id, comes) => group?.placed(id, comes) ?? 0;
  const why = decisions.refusalOf(group?.attended, { uid, gang, placed }, now);
  if (!why) return undefined;
  const { kind } = cluster.pods.get(uid) ?? {};
  const refusal = newRefusal(pod, { ...why, gang, kind }, now);
  const takenOn = group && offeredAgain(group.attended.refusedNodes, { uid, kind, nodes });
  return { is: "refused", uid, refusal, takenOn };
}
