/**
 * Stages that somebody else answers than Muster's functions: what their answers mean, and what becomes of gangs while they
 * fail.
 *
 * @module
 */
import { type Fit, type GangSpec, type Group, groupId, type PolicyWord } from "../gang/facts.ts";
import { limits } from "../gang/limits.ts";
import type { Admission } from "../stage/decision.ts";
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

/** In seconds: what a policy may ask for, and what it gets where it says nothing. */
const askAgain = { least: 1, usual: 30, most: 86_400 };

/** When a policy wants to be asked again. */
export function askAgainOf(seconds: number | undefined): number {
  if (seconds === undefined || !Number.isFinite(seconds)) return askAgain.usual;
  return Math.min(askAgain.most, Math.max(askAgain.least, seconds));
}

/** What prefilter was asked, as far as it says whether a group could start. */
type Asked = Group & { readonly fit?: Fit | undefined };

/** Whether nothing but a policy keeps a group by what prefilter says: it is let in, or pods would leave for it. */
export function couldStart(
  { fit }: Asked,
  { verdict, reason }: Pick<Admission, "verdict" | "reason">,
): boolean {
  return verdict === "allow" || reason === "CustomPolicy" ||
    (reason === "InsufficientResources" && fit?.leaving !== undefined);
}

/**
 * Whether admit is asked about a group that could start: one that has members with a node, or that are held, is on its way
 * already.
 */
export function isToBeAdmitted(
  asked: Asked,
  admission: Pick<Admission, "verdict" | "reason">,
): boolean {
  return couldStart(asked, admission) &&
    asked.gangs.every(({ census, held }) => census.bound === 0 && held.length === 0) &&
    asked.gangs.some(({ census }) => census.pending > 0);
}

/** What admit answers. */
export interface AdmitAnswer {
  readonly verdict: "allow" | "wait";
  readonly reason?: string | undefined;
  readonly message?: string | undefined;
  readonly askAgainSeconds?: number | undefined;
}

/** Why a group waits by what admit answered; undefined: it may start. */
export function wordOf(answer: AdmitAnswer): PolicyWord | undefined {
  if (answer.verdict === "allow") return undefined;
  const reason = policyText(answer.reason ?? "", limits.reason);
  return {
    ...(reason && { reason }),
    message: policyText(answer.message ?? "", limits.policyWord) || "it gives no reason",
    askAgainSeconds: askAgainOf(answer.askAgainSeconds),
  };
}

/** Why a group waits while a stage without which it must not start does not answer. */
export function wordOfSilence(
  { stage, url, error }: { stage: StageName; url: string; error: string | undefined },
): PolicyWord {
  const message = policyText(
    `stage ${stage} at ${url} does not answer: ${error ?? "unknown"}`,
    limits.policyWord,
  );
  return { reason: "Unreachable", message, askAgainSeconds: 5 };
}

/** Something that queues, as far as its key must be like those of its siblings. */
interface Unit {
  readonly id: string;
  readonly gang?: GangSpec | undefined;
}

/** What is wrong with the keys of an answer; undefined: each unit has one, and those of one gang group are alike. */
export function keyProblem(
  units: readonly Unit[],
  keys: readonly { readonly id: string; readonly key: string }[],
): string | undefined {
  const byId = new Map(keys.map(({ id, key }) => [id, key]));
  const groups = new Map<string, string>();
  for (const { id, gang } of units) {
    const key = byId.get(id);
    if (key === undefined) return `unit "${id}" has no key`;
    if (key.length > limits.queueKey) return `the key of "${id}" is longer than ${limits.queueKey}`;
    if (!gang) continue;
    const group = groupId(gang);
    if ((groups.get(group) ?? key) !== key) return `gang group "${group}" has more than one key`;
    groups.set(group, key);
  }
  return undefined;
}
