/**
 * What the answers of stages mean that somebody else gives than Muster's functions, and what gangs wait for while they fail.
 *
 * @module
 */
import { type Fit, type GangSpec, type Group, groupId, type PolicyWord } from "../gang/facts.ts";
import { limits } from "../gang/limits.ts";
import type { Admission } from "../stage/decision.ts";
import { policyText } from "../words/policy_text.ts";
import type { StageName } from "./stage_health.ts";

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
