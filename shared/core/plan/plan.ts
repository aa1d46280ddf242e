/**
 * What the planner says of a gang group.
 *
 * @module
 */
import type { Resources, Use } from "../room/fit.ts";
import type { Chance } from "../room/totals.ts";
import type { Ahead, Fit, LeftOut } from "../gang/facts.ts";
import type { QuorumSettings } from "../gang/quorum.ts";
import type { Estimate } from "./estimate.ts";
import type { Steering } from "./steering.ts";

/** Names what a plan was made on: no JSON has that, a recording says whether it is what there is. */
export const madeOn: unique symbol = Symbol("made on");

/** What plans that may be kept were made on. */
export interface MadeOn {
  readonly nodes: unknown;
  readonly settings: QuorumSettings;
}

/** What a group may hope for now. */
export interface Plan {
  readonly fit: Fit;
  /** It fits, but would take room that is kept for a gang ahead of it. */
  readonly ahead?: Ahead;
  /** Where the members go that it needs: room that it takes from those behind. */
  readonly taken?: readonly Use[];
  /** Where others go, beside what every group needs: as many as there is room for. */
  readonly surplus?: readonly Use[];
  /** So many have no place; they get one when there is room. */
  readonly unplaced?: number;
  /** Of a group that can do without some of its gangs: what has no place, and is not needed. Absent: all are needed. */
  readonly leftOut?: readonly PlannedWithout[];
  /** Absent: `free`. */
  readonly steering?: Steering;
  /** Its members are nominated to their places. */
  readonly isPublished?: true;
  /** Room that pods leave for it. */
  readonly clearance?: Clearance;
  /** Room that is kept for it from when it is going to be free. */
  readonly reservation?: Reservation;
  /** Nothing but room keeps it from being scheduled. */
  readonly isShort: boolean;
  /** With `taken` only. */
  readonly [madeOn]?: MadeOn;
}

/** What a group is planned without, and all gangs of it. */
export interface PlannedWithout extends LeftOut {
  readonly gangs: readonly string[];
}

/** When a group is going to start, and where there is room for it then. */
export interface Reservation extends Estimate {
  readonly uses: readonly Use[];
  /** An earlier start that was looked for in vain: nobody looks again until there is more room then, or less. */
  readonly vain?: Chance | undefined;
}

/** Room that is cleared for a group, and that nobody behind it may take. */
export interface Clearance {
  readonly taken: readonly Use[];
  /** Where members are to go then. */
  readonly members: readonly Goal[];
  /** Those that are still to be evicted, by uid. */
  readonly victims: readonly string[];
  /** Those that leave for the group, and those that are to, as `namespace/name`. */
  readonly names: readonly string[];
}

/** A member, by uid, and its node. */
export interface Goal {
  readonly uid: string;
  readonly node: string;
  /** Members of a group ahead go there first, whom the scheduler would keep from there if this one were nominated. */
  readonly isAfterOthers?: true;
}

/** The plans of all groups that wait. */
export interface Plans {
  /** By canonical name. */
  readonly byGroup: ReadonlyMap<string, Plan>;
  /** What is left on each node when all have what is planned or kept for them. */
  readonly spare: (node: string) => Resources | undefined;
  /** Gangs, also those that are still being created, ask for more than is left: some will queue. */
  readonly isOverbooked: boolean;
}

/** Whether the members still needed have room, or would have it once victims have left. */
export function makesWhole({ fit, ahead }: Pick<Plan, "fit" | "ahead">): boolean {
  return !ahead && fit.members + (fit.byPreemption ?? 0) >= fit.of;
}
