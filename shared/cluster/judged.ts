/**
 * Whether a verdict is of the facts as they are now.
 *
 * @module
 */
import { isJudged } from "../core/attend/attended.ts";
import type { Cluster } from "./cluster.ts";
import { evictedForIn } from "./evicted_for.ts";
import type { GangGroup } from "./gang_group.ts";

/** As {@linkcode isJudged}, and whoever was to leave for it is still there: else its plan is about to find their room. */
export function isJudgedNow(
  { attended }: GangGroup,
  { pods, gangs }: Pick<Cluster, "pods" | "gangs">,
): boolean {
  if (!isJudged(attended)) return false;
  if (!attended.clearance) return true;
  if (attended.clearance.victims.some((uid) => pods.has(uid))) return true;
  const evictedFor = evictedForIn(gangs);
  return pods.values().some((record) => evictedFor(record)?.group === attended.id);
}
