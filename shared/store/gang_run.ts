/**
 * What is remembered of a gang that ran.
 *
 * @module
 */
import type { Census, GangFacts } from "../core/gang/facts.ts";
import type { GangTimes, Run } from "../core/gang/gang_times.ts";
import { runPattern } from "../core/gang/run_pattern.ts";

/** Its run, when that is over; `now` is in ms since the epoch. Undefined: it has not begun. */
export function runOf(
  { gang, census, preempted, times }: {
    gang: GangFacts["gang"];
    /** When there were enough members last. */
    census: Census;
    preempted?: GangFacts["preempted"];
    times?: GangTimes | undefined;
  },
  now: number,
): Run | undefined {
  if (times?.startedAt === undefined) return undefined;
  const { namespace, name, priority = 0, createdAt, minMember } = gang;
  const members = census.bound + census.succeeded + census.failed;
  return {
    namespace,
    name,
    pattern: runPattern(gang, times.owner),
    createdAt: Date.parse(createdAt),
    startedAt: Date.parse(times.startedAt),
    endedAt: times.endedAt === undefined ? now : Date.parse(times.endedAt),
    members: Math.max(members, minMember),
    priority,
    requests: times.requests ?? {},
    isLearnt: !preempted && census.failed === 0,
  };
}
