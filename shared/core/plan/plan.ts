/**
 * What the planner says of a gang group.
 *
 * @module
 */
import type { Use } from "../room/fit.ts";
import type { Ahead, Fit } from "../gang/facts.ts";

/** What a group may hope for now. */
export interface Plan {
  readonly fit: Fit;
  /** It fits, but would take room that is kept for a gang ahead of it. */
  readonly ahead?: Ahead;
  /** The room it takes from those behind. */
  readonly taken?: readonly Use[];
  /** Nothing but room keeps it from being scheduled. */
  readonly isShort: boolean;
}

/** The plans of all groups that wait. */
export interface Plans {
  /** By canonical name. */
  readonly byGroup: ReadonlyMap<string, Plan>;
  /** Gangs, also those that are still being created, ask for more than is left: some will queue. */
  readonly isOverbooked: boolean;
}

/** Whether the members still needed have room, or would have it once victims have left. */
export function makesWhole({ fit, ahead }: Pick<Plan, "fit" | "ahead">): boolean {
  return !ahead && fit.members + (fit.byPreemption ?? 0) >= fit.of;
}
