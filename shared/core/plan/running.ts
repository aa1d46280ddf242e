/**
 * Pods that have room which a gang group of a higher priority may take, and what keeps them together.
 *
 * @module
 */
import type { Disruption } from "../gang/facts.ts";
import type { Claim, Place } from "./demand.ts";

/** A pod that may be made to leave. */
export interface RunningPod extends Claim {
  readonly uid: string;
  /** `namespace/name`. */
  readonly name: string;
  /** In ms since the epoch. */
  readonly startedAt: number;
  /** `namespace/name` of its gang; absent for a regular pod. */
  readonly gang?: string | undefined;
  readonly role?: string | undefined;
  /** PodDisruptionBudgets that it is under; the Eviction API refuses a pod under more than one. */
  readonly budgets: readonly string[];
  /** It is held: it runs nowhere yet, and gives its room back when its gang is let go. */
  readonly isHeld?: boolean | undefined;
}

/** Room that comes: a pod leaves it. */
export interface Leaving extends Place {
  /** `namespace/name`. */
  readonly name: string;
  /** Canonical name of the gang group that it was evicted for; absent: it leaves by itself. */
  readonly for?: string | undefined;
}

/** A gang with members that run. */
export interface RunningGang {
  readonly disruption: Disruption;
  readonly minMember: number;
  /** Members that have a node and do not leave, those that nobody may evict included. */
  readonly bound: number;
  readonly succeeded: number;
  /** Roles that no other is within, with the members of each that are bound as `bound` counts them. */
  readonly roles: readonly RunningRole[];
}

/** Members of a gang that have a minimum of their own. */
export interface RunningRole {
  readonly name: string;
  readonly min: number;
  readonly bound: number;
}

/** Gangs that run together, and composites of them, of which so many are needed. */
export interface RunningTree {
  readonly min: number;
  /** What is left of it leaves where fewer are whole; else it runs on. */
  readonly leavesWhole: boolean;
  /** Gangs as `namespace/name`. */
  readonly parts: readonly (RunningTree | string)[];
}

/** What runs, as far as it may be evicted. */
export interface Running {
  readonly pods: readonly RunningPod[];
  /** What the gangs are in; absent: no gang is in any. */
  readonly trees?: readonly RunningTree[] | undefined;
  /** By `namespace/name`. */
  readonly gangs: ReadonlyMap<string, RunningGang>;
  /** So many pods under each PodDisruptionBudget may leave now. */
  readonly budgets: ReadonlyMap<string, number>;
}

/** The members that each gang loses when these leave, by `namespace/name`; one that is held runs nowhere yet. */
export function lossesOf(leaving: readonly RunningPod[]): Map<string, RunningPod[]> {
  const bound = leaving.filter(({ gang, isHeld }) => gang !== undefined && !isHeld);
  return Map.groupBy(bound, ({ gang }) => gang!);
}

/** Whether a gang has as many members as it and each of its roles need when these have left. */
export function isWholeWithout(gang: RunningGang, leaving: readonly RunningPod[]): boolean {
  return gang.bound + gang.succeeded - leaving.length >= gang.minMember &&
    gang.roles.every(({ name, min, bound }) =>
      bound - leaving.filter(({ role }) => role === name).length >= min
    );
}

/** Whether these members of a gang may leave: all of them, none that it needs, or whichever where it does not mind. */
export function mayLeave(gang: RunningGang, leaving: readonly RunningPod[]): boolean {
  return leaving.length === 0 || gang.disruption === "member" || leaving.length === gang.bound ||
    isWholeWithout(gang, leaving);
}

/** Whether a gang that is whole would not be any more when these have left. */
export function isBroken(gang: RunningGang | undefined, leaving: readonly RunningPod[]): boolean {
  return gang !== undefined && isWholeWithout(gang, []) && !isWholeWithout(gang, leaving);
}

/** Budgets under which more pods would leave than may. */
export function overdrawn(
  leaving: readonly RunningPod[],
  budgets: Running["budgets"],
): string[] {
  const spent = Map.groupBy(leaving.flatMap(({ budgets }) => budgets), (budget) => budget);
  return [...spent].flatMap(([budget, pods]) =>
    pods.length > (budgets.get(budget) ?? 0) ? [budget] : []
  );
}
