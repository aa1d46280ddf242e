/**
 * How a gang ended that is gone: one sentence, from the last that was known of it.
 *
 * @module
 */
import { type GangFacts, gangId } from "../gang/facts.ts";
import { limits } from "../gang/limits.ts";
import { count, named, shortened } from "./text.ts";

/** What became of its members, and who preempted them; `census` is from when they were enough last. */
export function howEnded(
  { gang, census, preempted }: Pick<GangFacts, "gang" | "census" | "preempted">,
): string {
  const title = `gang ${named(gangId(gang))}`;
  if (preempted) {
    const { members, by } = preempted;
    const were = members === 1 ? "was" : "were";
    const text = `${title} ended: ${count(members, "member")} ${were} preempted by ${by}`;
    return shortened(text, limits.sentence);
  }
  const { succeeded, failed, bound } = census;
  if (succeeded >= gang.minMember) return `${title} ended: ${count(succeeded, "member")} succeeded`;
  if (failed > 0) return `${title} ended: ${count(failed, "member")} failed`;
  return bound + succeeded > 0
    ? `${title} ended while it ran: its pods were deleted`
    : `${title} ended before it started: its pods were deleted`;
}
