/**
 * The stages that somebody else may answer than Muster's functions, and how each of them does.
 *
 * @module
 */
import { limits } from "../gang/limits.ts";
import { policyText } from "../words/policy_text.ts";

/** The stages that have a URL of their own, where they are told one. */
export const stageNames = [
  "queue-sort",
  "prefilter",
  "permit",
  "postfilter",
  "unreserve",
  "admit",
] as const;
/** One of {@linkcode stageNames}. */
export type StageName = (typeof stageNames)[number];

/** While a stage fails, Muster's functions answer it, or gangs wait. */
export const failureModes = ["built-in", "wait"] as const;
/** One of {@linkcode failureModes}. */
export type FailureMode = (typeof failureModes)[number];

/** An order is a wish, and no reason to let a cluster idle; every other stage is what keeps gangs back, or keeps their rounds. */
export function usualFailureMode(stage: StageName): FailureMode {
  return stage === "queue-sort" ? "built-in" : "wait";
}

/** How a stage does. Times are in ms since the epoch. */
export interface StageHealth {
  /** In a row. */
  readonly failures: number;
  readonly failedAt: number;
  /** What it failed by last; kept when it answers again. */
  readonly error: string | undefined;
}

/** A stage that has not been asked yet. */
export const healthy: StageHealth = { failures: 0, failedAt: -Infinity, error: undefined };

/** It did not answer, or not what the contract asks for. */
export function stageFailed(
  { failures }: StageHealth,
  { error, now }: { error: string; now: number },
): StageHealth {
  return {
    failures: failures + 1,
    failedAt: now,
    error: policyText(error, limits.policyWord),
  };
}

/** It answered. */
export function stageAnswered(health: StageHealth): StageHealth {
  return { ...health, failures: 0 };
}

/** In ms: how long a stage that failed is not asked, so that its time limit is not waited for by every gang. */
const leftAlone = { least: 1000, most: 30_000 };

/** Whether a stage that failed a moment ago is not asked yet. */
export function isStageLeftAlone({ failures, failedAt }: StageHealth, now: number): boolean {
  if (failures === 0) return false;
  return now < failedAt + Math.min(leftAlone.most, leftAlone.least * 2 ** (failures - 1));
}

/** In ms: an order that could not be had keeps gangs waiting for so long after it was asked for last. */
const orderMissed = 15_000;

/** Whether gangs wait for an order: nobody asks for one where only one of them is left. */
export function isOrderMissing({ failures, failedAt }: StageHealth, now: number): boolean {
  return failures > 0 && now < failedAt + orderMissed;
}
