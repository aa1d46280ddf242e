/**
 * What a simulation goes by.
 *
 * @module
 */
import type { Backfill } from "../../../shared/core/gang/backfill.ts";
import type { Settings } from "../../../shared/core/gang/settings.ts";
import type { TopologyLevel } from "../../../shared/kubernetes/declaring/topology_level.ts";

/** How to decide. */
export interface SimulationOptions {
  readonly settings: Settings;
  /** Milliseconds since the epoch. */
  readonly now: number;
  /** As `--backfill` of `deno task start`. */
  readonly backfill: Backfill;
  /** Those that Muster serves; absent: any. */
  readonly schedulerNames?: readonly string[];
  /** Of the network, the widest first; absent: none are named. */
  readonly levels?: readonly TopologyLevel[];
  /** How long a gang is taken to run of which nothing else is known, in seconds; absent: nobody knows. */
  readonly expectedSeconds?: number | undefined;
}
