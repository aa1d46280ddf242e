/**
 * The verdict on one gang of a group, which is not the group's where that starts without it.
 *
 * @module
 */
import { type Attended, type Verdict, verdictOf } from "./attended.ts";
import { isGangLeftOut } from "./placement.ts";

/** What a member is told whose group was let in without its gang; undefined: that has places, or nothing is known of it yet. */
export function whyGangLeftOut(
  { standing, placement }: Pick<Attended, "standing" | "placement">,
  gang: string,
): { reason: "LeftOut"; message: string } | undefined {
  if (standing.phase !== "let in" || !isGangLeftOut(placement, gang)) return undefined;
  const message = standing.why.leftOut?.[gang]?.message;
  return message === undefined ? undefined : { reason: "LeftOut", message };
}

/** The verdict on a gang: of one that is left out why, in policy's words; of any other that on its group. */
export function verdictOn(attended: Attended | undefined, gang: string): Verdict | undefined {
  const verdict = verdictOf(attended);
  if (!attended || verdict?.verdict !== "allow") return verdict;
  const own = isGangLeftOut(attended.placement, gang) ? verdict.leftOut?.[gang] : undefined;
  return own ? { verdict: "reject", ...own } : verdict;
}
