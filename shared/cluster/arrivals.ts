/**
 * Members whose bind call comes where it is not held, and what their groups hear of that.
 *
 * @module
 */
import { onlyPauses } from "../core/attend/admission.ts";
import { whyElsewhere, yieldsTo } from "../core/attend/arrival.ts";
import type { Preemptor } from "../core/attend/attended.ts";
import type { EventOf } from "../core/attend/event.ts";
import { marked } from "../core/words/mark.ts";
import { quoted } from "../core/words/text.ts";
import { whyPending } from "../core/words/why_pending.ts";
import type { Cluster } from "./cluster.ts";
import type { GangGroup } from "./gang_group.ts";
import type { GroupTable } from "./group_table.ts";
import type { PodRecord } from "./pod_record.ts";
import { newRefusal } from "./refusals.ts";

/** A call that is not held. */
export interface TurnedAway {
  /** What the scheduler is told. */
  readonly sentence: string;
  readonly event?: EventOf<"call lost"> | EventOf<"refused">;
}

/**
 * Why the call for a member that comes to a node is not held: it is gone, or the node is, or its group has been let go for a
 * preemptor, or has been planned elsewhere. Undefined: it may be held.
 */
export function turnedAway(
  record: PodRecord,
  node: string,
  { groups, cluster: { pods, room }, now }: {
    groups: Pick<GroupTable, "of">;
    cluster: Pick<Cluster, "pods" | "room">;
    now: number;
  },
): TurnedAway | undefined {
  const { pod, kind, gang = "", node: placed } = record;
  const { namespace, name, uid } = pod.metadata;
  if (!pods.has(uid)) return { sentence: marked("the pod was deleted") };
  const group = groups.of(gang);
  // The call of one that has a node is answered at once.
  if (!group || placed !== undefined) return undefined;
  if (!room.mayStayOn(record, node)) return { sentence: marked(whyNotThere(node)) };
  const { attended, title } = group;
  const isOver = ({ uid, isSeen = false }: Preemptor) => {
    const record = pods.get(uid);
    if (!record) return isSeen;
    return record.node !== undefined || record.call !== undefined ||
      isKeptOut(groups.of(record.gang));
  };
  const preemptor = yieldsTo(attended, { isOver, now });
  if (preemptor) {
    const { title: to } = preemptor;
    const loss = { pod: { namespace, name, uid }, cause: "aborted", gang, by: to } as const;
    const { message } = whyPending({ reason: "LetGo", title, to });
    return { event: { is: "call lost", loss }, sentence: marked(message) };
  }
  const why = whyElsewhere(attended, { uid, kind, gang, node });
  if (!why) return undefined;
  const refusal = newRefusal(pod, { ...why, gang, kind }, now);
  return {
    event: { is: "refused", uid, refusal, takenOn: [node] },
    sentence: refusal.sentence,
  };
}

function whyNotThere(node: string): string {
  return `node ${
    quoted(node)
  } is not there, or has a taint NoExecute that the pod does not tolerate`;
}

/** Whether no member of the group is going to be tried soon. */
function isKeptOut(group: GangGroup | undefined): boolean {
  return group?.attended.standing.phase === "refused" && !onlyPauses(group.attended);
}
