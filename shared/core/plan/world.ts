/**
 * What plans are made of.
 *
 * @module
 */
import type { Room } from "../room/fit.ts";
import type { Place, PlannedGang } from "./demand.ts";
import type { QuorumSettings } from "../gang/quorum.ts";
import type { Plan } from "./plan.ts";

/** Room that a pod of some priority takes, or is going to take. */
export interface Claim extends Place {
  readonly priority: number;
}

/** A gang group with members that are neither bound nor held. */
export interface Waiting {
  /** Canonical name of the group. */
  readonly id: string;
  /** The highest of its gangs. */
  readonly priority: number;
  /** Looked at only where the plan that it has does not hold any more. */
  readonly gangs: () => readonly PlannedGang[];
  /** It has no use for room, however much there is: it is parked (S3), or members wait for another scheduler. */
  readonly isNeverWhole: boolean;
  /** Its plan, unless what that was made of has changed. */
  readonly plan: Plan | undefined;
  /** Since when it is whole but for room, in ms since the epoch. */
  readonly shortSince: number | undefined;
  /** Until then its members keep their room from the groups behind, in ms since the epoch. */
  readonly reservedUntil: number;
}

/** The cluster, and the groups that wait for room on it. */
export interface World {
  /** What is free on each node. */
  readonly free: Room;
  /** What would be free if all pods had left that ever do; the same object while that stays so. */
  readonly capacity: () => Room;
  /** What regular pods are going to take for which victims leave, those of the highest priority first. */
  readonly nominated: readonly Claim[];
  /** What pods of a lower priority take. */
  readonly takenBelow: (priority: number) => Iterable<Claim>;
  /** The first in the queue first. */
  readonly waiting: readonly Waiting[];
  /** For so long smaller gangs may pass one that waits for room, in ms. */
  readonly backfillMs: number;
  readonly settings: QuorumSettings;
}
