/**
 * Members of an earlier run of a gang: a Job that is run again names its gang as before, and the pods of its last run may still be
 * there.
 *
 * @module
 */
import { partition } from "../core/room/ranks.ts";
import { controllerOf } from "../kubernetes/declaring/job.ts";
import { endOf } from "./gang_run.ts";
import type { PodRecord } from "./pod_record.ts";

/** Pods of one controller, from when the first was created until the last ended, in ms since the epoch. */
interface Span {
  readonly from: number;
  readonly to: number;
  readonly uids: readonly string[];
}

const none: ReadonlySet<string> = new Set();

/**
 * By uid, members that had all ended before those were created that go on, and whose controller has none that goes on. Whoever was
 * there at the same time as others is of their run; a member without a controller is of any.
 */
export function earlierRun(members: Iterable<PodRecord>): ReadonlySet<string> {
  const byController = Map.groupBy(members, ({ pod }) => controllerOf(pod));
  if (byController.has(undefined)) return none;
  const [goOn, ended] = partition(
    [...byController.values()].map(spanOf),
    ({ to }) => to === Infinity,
  );
  if (goOn.length === 0 || ended.length === 0) return none;
  let begin = Math.min(...goOn.map(({ from }) => from));
  const earlier = ended.sort((a, b) => b.to - a.to).filter(({ from, to }) => {
    const isEarlier = to <= begin && from < begin;
    if (!isEarlier) begin = Math.min(begin, from);
    return isEarlier;
  });
  return new Set(earlier.flatMap(({ uids }) => uids));
}

function spanOf(records: readonly PodRecord[]): Span {
  return {
    from: Math.min(...records.map(createdAt)),
    // Creations are told in whole seconds.
    to: Math.max(...records.map((record) => 1000 * Math.floor(endOf(record) / 1000))),
    uids: records.map(({ pod }) => pod.metadata.uid),
  };
}

/** One of which that is not known was always there. */
function createdAt({ pod }: PodRecord): number {
  return Date.parse(pod.metadata.creationTimestamp ?? "") || -Infinity;
}
