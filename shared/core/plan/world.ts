/**
 * What plans are made of.
 *
 * @module
 */
import type { RunTime } from "../gang/run_time.ts";
import type { Composite } from "../gang/topology.ts";
import type { Room, Use } from "../room/fit.ts";
import type { Claim, PlannedGang } from "./demand.ts";
import type { Leaving, Running } from "./running.ts";
import type { QuorumSettings } from "../gang/quorum.ts";
import type { Taken } from "../room/timetable.ts";
import type { Plan, Reservation } from "./plan.ts";

/** Nodes that refuse members of a kind; another object where anything of it is another. */
export interface Refusing {
  /** How many more of them each takes. */
  readonly more: ReadonlyMap<string, number>;
  /** The fewest that one took which then refused another: others may do so too. Absent: none took any. */
  readonly each?: number;
}

/** A gang group with members that are neither bound nor held; another object where anything of it, or of its gangs, is another. */
export interface Waiting {
  /** Canonical name of the group. */
  readonly id: string;
  /** The highest of its gangs. */
  readonly priority: number;
  /** Looked at only where the plan that it has does not hold any more. */
  readonly gangs: () => readonly PlannedGang[];
  /** It has no use for room, however much there is: it is parked (S3), or members wait for another scheduler. */
  readonly isNeverWhole: boolean;
  /** A policy keeps it waiting, and is told who would leave for it. */
  readonly isKeptByPolicy?: boolean | undefined;
  /** Its last round failed just now: meanwhile members of groups before it have its room, also those that are not needed. */
  readonly isPausing?: boolean | undefined;
  /** Its plan, unless what that was made of has changed. */
  readonly plan: Plan | undefined;
  /** What it was promised last, whatever has changed since. */
  readonly reserved: Reservation | undefined;
  /** Where members that are still without a node were to go, whatever has changed since: kept while that holds. */
  readonly before?: readonly Use[] | undefined;
  /** What nodes the scheduler refused, by kind: members of that kind are planned elsewhere. */
  readonly refused?: ReadonlyMap<string, Refusing> | undefined;
  /** Which of its gangs are needed; absent: all. */
  readonly composite?: Composite | undefined;
  /** Pods leave for it, or have just left. */
  readonly isCleared?: boolean | undefined;
  /** Where its members were nominated to, by uid. */
  readonly nominated?: { readonly get: (uid: string) => string | undefined } | undefined;
  /** How long it runs, the longest of its gangs; absent: it never ends, as far as anybody knows. */
  readonly runTime?: RunTime | undefined;
  /** Since when it is whole but for room, in ms since the epoch. */
  readonly shortSince: number | undefined;
  /** Until then its members keep their room from the groups behind, in ms since the epoch. */
  readonly keepsUntil: number;
}

/** Who may be evicted for groups, and who leaves already. */
export interface Evictions {
  /** What runs of a lower priority. */
  readonly running: (priority: number) => Running;
  readonly leaving: () => readonly Leaving[];
}

/** A gang group that runs, and is going to leave its room. */
export interface Ending {
  /** Canonical name. */
  readonly id: string;
  /** In ms since the epoch; it may be over, and the group still run. */
  readonly endsAt: number;
  /** All of its members were asked to end: it does not run on, however long it was to. */
  readonly isLeaving?: boolean | undefined;
  /** What its members take. */
  readonly uses: readonly Taken[];
}

/** The cluster, and the groups that wait for room on it. */
export interface World {
  /** What is free on each node; another object for a node whenever that, or the node, changes. */
  readonly free: Room;
  /** Another object whenever a node comes, goes, or is labelled or tainted otherwise. */
  readonly nodes: unknown;
  /** What would be free if all pods had left that ever do; the same object while that stays so. */
  readonly capacity: () => Room;
  /** By node; none where the node is unknown. */
  readonly labelsOf: (node: string) => Readonly<Record<string, string>>;
  /** Labels whose values repeat from domain to domain of the one before, the widest first: zone, block, rack. */
  readonly levels: readonly string[];
  /** What regular pods are going to take for which victims leave, those of the highest priority first. */
  readonly nominated: readonly Claim[];
  /** What pods of a lower priority take. */
  readonly takenBelow: (priority: number) => Iterable<Claim>;
  /** Absent: the scheduler evicts, for one member after another. */
  readonly evictions?: Evictions | undefined;
  /** The first in the queue first. */
  readonly waiting: readonly Waiting[];
  /** For so long gangs may pass one that waits for room and has none reserved, in ms. */
  readonly backfillMs: number;
  /** For so many groups room is reserved from when it is going to be free; absent: for none. */
  readonly reservations?: number | undefined;
  /** What runs of which it is known when it ends. */
  readonly ending?: (() => readonly Ending[]) | undefined;
  readonly settings: QuorumSettings;
}
