/**
 * When the members of a gang started and ended, as their pods show it.
 *
 * @module
 */
import { isSame } from "../core/room/fit.ts";
import type { Taken } from "../core/room/timetable.ts";
import { podCondition } from "../kubernetes/pod_condition.ts";
import { isActive, type PodRecord } from "./pod_record.ts";

/** The run of a gang, in ms since the epoch. */
export interface GangRun {
  /** When the first of its members started; undefined: none has. */
  readonly startedAt: number | undefined;
  /** When the last one ended; undefined: one may still run, or nobody says it. */
  readonly endedAt: number | undefined;
  /** When the last one is to be gone; undefined: one is not asked to end. */
  readonly leavesAt: number | undefined;
  /** What those take that have a node, or are held on one, and have not ended. */
  readonly uses: readonly Taken[];
}

/** Of the members that count. */
export function gangRunOf(members: Iterable<PodRecord>): GangRun {
  let startedAt = Infinity;
  let endedAt = 0;
  let leavesAt = 0;
  const uses = new Map<string, Taken>();
  for (const record of members) {
    const { pod, node, requests, kind } = record;
    const hasEnded = !isActive(pod);
    if (hasEnded || node) startedAt = Math.min(startedAt, startOf(record));
    endedAt = Math.max(endedAt, endOf(record));
    const place = node || record.call?.pod.node;
    if (hasEnded || !place) continue;
    leavesAt = Math.max(leavesAt, Date.parse(pod.metadata.deletionTimestamp ?? "") || Infinity);
    const alike = `${place} ${kind}`;
    // One that is resized in place takes something else.
    const isAlike = isSame(uses.get(alike)?.requests ?? requests, requests);
    const key = isAlike ? alike : pod.metadata.uid;
    uses.set(key, { node: place, requests, count: (uses.get(key)?.count ?? 0) + 1 });
  }
  return {
    startedAt: startedAt < Infinity ? startedAt : undefined,
    endedAt: endedAt > 0 && endedAt < Infinity ? endedAt : undefined,
    leavesAt: leavesAt > 0 && leavesAt < Infinity ? leavesAt : undefined,
    uses: [...uses.values()],
  };
}

/** A pod that is bound starts at once, or as soon as its images are there. */
function startOf({ pod, boundAt }: PodRecord): number {
  const scheduled = podCondition(pod, "PodScheduled");
  const bound = scheduled?.status === "True" ? scheduled.lastTransitionTime : undefined;
  return Date.parse(pod.status?.startTime ?? bound ?? "") || (boundAt ?? Infinity);
}

/** In ms since the epoch; Infinity: it goes on, or nobody says when it ended. */
export function endOf({ pod, endedAt = Infinity }: PodRecord): number {
  if (isActive(pod)) return Infinity;
  const { containerStatuses = [] } = pod.status ?? {};
  const finished = containerStatuses.map(({ state }) => state?.terminated?.finishedAt);
  const notReady = podCondition(pod, "Ready");
  const times = [...finished, notReady?.status === "False" ? notReady.lastTransitionTime : ""];
  return Math.max(...times.map((time) => Date.parse(time ?? "") || 0)) || endedAt;
}
