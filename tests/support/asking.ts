/**
 * Who asks for a node to be made free, as the relay looks at that.
 *
 * @module
 */
import type { Cluster } from "../../shared/cluster/cluster.ts";
import type { candidateOf } from "../../shared/cluster/preemption_candidate.ts";
import { RunningGangs } from "../../shared/cluster/running_gangs.ts";

/** Pod high, for which nobody leaves yet; `now` is in ms since the epoch. */
export function askingOf(cluster: Cluster, now: number): Parameters<typeof candidateOf>[2] {
  return { cluster, runs: new RunningGangs(now), preemptor: "high", now, left: new Set() };
}
