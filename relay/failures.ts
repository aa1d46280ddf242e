/**
 * Members that the scheduler's own plugins refuse while their gang is let in.
 *
 * @module
 */
import { limits } from "../shared/core/limits.ts";
import { shortened } from "../shared/core/text.ts";
import type { PodChange } from "./cluster.ts";
import type { GangGroup, Snapshot } from "./gang_group.ts";
import { fromScheduler } from "./sentence.ts";

/** A little longer than the shipped largest back-off: by then the scheduler has tried every member again. */
const settleMs = 4000;

/** A cycle of the scheduler that began before its gang was let in is over, and its end written, within this time. */
const staleMs = 1000;

/**
 * Notes a refusal that is new. The scheduler may have begun to look before room was there (a node whose taint is being
 * removed, say): whom it refused already, and refuses in other words as soon as the gang is let in, is noted only if that stands.
 */
export function noticeFailure(group: GangGroup, { before, record }: PodChange): void {
  const failure = fromScheduler(record.pod);
  const failureBefore = before && fromScheduler(before);
  if (failure === undefined || failure === failureBefore) return;
  if (group.admission?.verdict !== "allow" || record.node || record.foreign) return;
  const now = Date.now();
  if (failureBefore !== undefined && now < group.letInAt + staleMs) {
    group.doubtedAt = Math.min(group.doubtedAt, now);
    return;
  }
  note(group, {
    uid: record.pod.metadata.uid,
    name: record.pod.metadata.name,
    message: failure,
    gang: record.gang,
  });
}

/**
 * Notes refusals that stand although siblings have been held for long enough, or since they were doubted. The scheduler
 * writes a refusal only when its words change, so a second one of the same words is not seen as an event.
 */
export function noticeStanding(group: GangGroup, snapshot: Snapshot): void {
  if (Date.now() < standingAt(group, snapshot)) return;
  for (const failure of standing(group, snapshot)) note(group, failure);
  group.doubtedAt = Infinity;
}

/** When refusals that stand are due to be noted, in ms since the epoch; Infinity: there are none. */
export function standingAt(group: GangGroup, snapshot: Snapshot): number {
  const opened = [...snapshot.holds.values()].flatMap((hold) =>
    hold.isGranted ? [] : [hold.openedAt]
  );
  const isLetIn = group.admission?.verdict === "allow";
  const since = Math.min(isLetIn ? group.doubtedAt : Infinity, ...opened);
  return since < Infinity && standing(group, snapshot).length > 0 ? since + settleMs : Infinity;
}

function standing(group: GangGroup, snapshot: Snapshot) {
  return group.gangs.flatMap((gang) =>
    [...gang.members].flatMap(([uid, { pod, node, foreign }]) => {
      const message = node || foreign || snapshot.holds.has(uid) || group.failed.has(uid)
        ? undefined
        : fromScheduler(pod);
      return message === undefined
        ? []
        : [{ uid, name: pod.metadata.name, message, gang: gang.id }];
    })
  );
}

function note(
  group: GangGroup,
  failure: { uid: string; name: string; message: string; gang: string | undefined },
): void {
  const message = shortened(failure.message, limits.quotation);
  group.failed.set(failure.uid, { ...failure, message });
  group.hasNewFailure = true;
}
