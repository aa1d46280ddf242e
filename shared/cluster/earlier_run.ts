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

/** Pods that are of one run, from when the first was created until the last ended, in ms since the epoch. */
interface Span {
  readonly from: number;
  readonly to: number;
  readonly members: readonly PodRecord[];
}

const none: ReadonlySet<string> = new Set();

/**
 * By uid, members that had all ended before those were created that go on, and whose controller has none that goes on. Whoever was
 * there at the same time as others is of their run. One without a controller may have come back, unless those before it were done:
 * a whole gang of them that succeeded. Beside those of a controller it is of any run.
 */
export function earlierRun(
  members: Iterable<PodRecord>,
  areDone: (members: readonly PodRecord[]) => boolean,
): ReadonlySet<string> {
  const byController = Map.groupBy(members, ({ pod }) => controllerOf(pod));
  const alone = byController.get(undefined);
  if (alone && byController.size > 1) return none;
  const together = alone?.map((record) => [record]) ?? [...byController.values()];
  const [goOn, ended] = partition(together.map(spanOf), ({ to }) => to === Infinity);
  if (goOn.length === 0 || ended.length === 0) return none;
  let begin = Math.min(...goOn.map(({ from }) => from));
  const earlier = ended.sort((a, b) => b.to - a.to).filter(({ from, to }) => {
    const isEarlier = to <= begin && from < begin;
    if (!isEarlier) begin = Math.min(begin, from);
    return isEarlier;
  }).flatMap(({ members }) => members);
  if (earlier.length === 0 || (alone && !areDone(earlier))) return none;
  return new Set(earlier.map(({ pod }) => pod.metadata.uid));
}

function spanOf(members: readonly PodRecord[]): Span {
  return {
    from: Math.min(...members.map(createdAt)),
    // Creations are told in whole seconds.
    to: Math.max(...members.map((record) => 1000 * Math.floor(endOf(record) / 1000))),
    members,
  };
}

/** One of which that is not known was always there. */
function createdAt({ pod }: PodRecord): number {
  return Date.parse(pod.metadata.creationTimestamp ?? "") || -Infinity;
}
