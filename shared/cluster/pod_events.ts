/**
 * What happens to a pod, as events of its gang group.
 *
 * @module
 */
import type { Refusal } from "../core/attend/attended.ts";
import type { EventOf, GroupEvent } from "../core/attend/event.ts";
import { classOf } from "../kubernetes/counting/census.ts";
import { declaresSame, memberOf } from "../kubernetes/declaring/member.ts";
import { isPreempted } from "../kubernetes/status/disruption.ts";
import { fromScheduler } from "../kubernetes/status/sentence.ts";
import { alikeOn } from "./alike_on.ts";
import type { Cluster, PodChange } from "./cluster.ts";
import { evictedForIn } from "./evicted_for.ts";
import type { Gang } from "./gang.ts";
import type { GangGroup } from "./gang_group.ts";
import { restOf } from "./losses.ts";
import { isGated, isLeaving, type PodRecord } from "./pod_record.ts";
import { earlierRefusalOf } from "./refusals.ts";

/** For whom a victim left, where that was not seen. */
const someone = "a pod of higher priority";

/** What is known beside the change itself. */
export interface PodSituation {
  /** What is left of its gang; undefined: nothing. */
  readonly gang: Gang | undefined;
  /** All gangs, by `namespace/name`. */
  readonly gangs: Cluster["gangs"];
  readonly group: Pick<GangGroup, "attended" | "gangs">;
  readonly room: Pick<Cluster["room"], "hasJustChanged">;
  /** `filter` had refused it before it was seen. */
  readonly earlyRefusal: Refusal | undefined;
  /** Pods are evicted for whole gangs: of a gang that is broken for others the rest leaves too. */
  readonly evicts: boolean;
}

/** The events of a change; `now` is in ms since the epoch. */
export function podEvents(
  change: PodChange,
  situation: PodSituation,
  now: number,
): GroupEvent[] {
  const { before, record, isGone } = change;
  const { gang, gangs, earlyRefusal, evicts } = situation;
  const { uid } = record.pod.metadata;
  const lost = losesPlace(change) ? [placeLost(record, { gang, gangs, evicts })] : [];
  if (isGone || isLeaving(record)) {
    return [...lost, { is: "member left", uid, isIncomplete: gang?.isIncomplete ?? true }];
  }
  if (isNoNews(change)) return lost;
  if (before && !isFreed(change)) {
    return [...lost, { is: "member changed", ...failureIn(change, situation, now) }];
  }
  const refusal = earlyRefusal ?? earlierRefusalOf(record, now);
  return [...lost, { is: "member came", uid, refusal }];
}

/** Whether gang groups that name the gang of a pod may hear that there is such a gang, or what it declares otherwise. */
export function isNews({ before, record: { pod }, isGone }: PodChange): boolean {
  return before === undefined || isGone || !declaresSame(before, pod) ||
    memberOf(before).hasEnded !== memberOf(pod).hasEnded;
}

/** Whether a member came without Muster's gate, and could have had it. */
export function cameUngated({ before, record, isGone }: PodChange): boolean {
  const isNew = before === undefined && !isGone && !isLeaving(record);
  return isNew && !record.node && !record.foreign && !isGated(record);
}

/** Whether the gates of others do not keep it back any more: the scheduler sees it come now. */
function isFreed({ before, record: { pod, node } }: PodChange): boolean {
  return before !== undefined && classOf(before) === "gated" && classOf(pod, node) === "pending";
}

/** Whether all that changed is a member's own: it is where it was known to be, counts as it did and says the same of its gang. */
function isNoNews({ before, record: { pod, node, boundAt, call } }: PodChange): boolean {
  if (!before || !node || call) return false;
  const wasKnown = before.spec.nodeName !== undefined || boundAt !== undefined;
  return wasKnown && before.status?.phase === pod.status?.phase &&
    classOf(before, node) === classOf(pod, node) && declaresSame(before, pod);
}

/** Quorum may have counted on a member that had a node, or was about to be bound to one. */
function losesPlace({ record, isGone }: PodChange): boolean {
  const node = record.node ?? record.call?.pod.node;
  return node !== undefined && (isGone || classOf(record.pod, node) !== "bound");
}

function placeLost(
  record: PodRecord,
  { gang, gangs, evicts }: Pick<PodSituation, "gang" | "gangs" | "evicts">,
): EventOf<"place lost"> {
  const { pod, gang: id, evictableFor } = record;
  const by = evictedForIn(gangs)(record)?.by ??
    (isPreempted(pod) ? evictableFor ?? someone : undefined);
  const rest = by !== undefined && evicts ? restOf(gang, gangs) : undefined;
  const isTooFew = gang?.lacksMembers ?? true;
  return { is: "place lost", uid: pod.metadata.uid, gang: id!, isTooFew, by, rest };
}

/** What is new in what the scheduler's own plugins say of a member. */
function failureIn(
  { before, record }: PodChange,
  { group, room }: PodSituation,
  now: number,
): Omit<EventOf<"member changed">, "is"> {
  const { pod, kind, node, gang, foreign } = record;
  const message = fromScheduler(pod);
  const messageBefore = before && fromScheduler(before);
  if (message === undefined || message === messageBefore || node || foreign) return {};
  const { uid, name } = pod.metadata;
  const nodes = new Set(group.attended.placement.uses.map(({ node }) => node));
  const changed = [...nodes].filter((node) => room.hasJustChanged(node, now));
  const alike = nodes.size > 0 ? [...alikeOn(group, kind)].filter(([node]) => nodes.has(node)) : [];
  return {
    kind,
    failure: { uid, name, message, gang },
    failedBefore: messageBefore !== undefined,
    ...(changed.length > 0 && { changed }),
    ...(alike.length > 0 && { alikeOn: alike }),
  };
}
