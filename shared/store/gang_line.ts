/**
 * What is kept of one gang: its line in the index, and its last facts.
 *
 * @module
 */
import type { GangSummary } from "../contract/types.ts";
import {
  type Census,
  type Fit,
  type GangFacts,
  gangId,
  type GangPod,
  type Group,
  groupId,
} from "../core/gang/facts.ts";
import type { GangTimes, Run } from "../core/gang/gang_times.ts";
import { phaseOf } from "../core/gang/phase.ts";
import type { Admission, Decision } from "../core/stage/decision.ts";
import type { GroupState } from "../core/stage/state.ts";
import { runOf } from "./gang_run.ts";

/** A line of the index about one gang. */
export interface GangLine {
  readonly summary: GangSummary;
  readonly spec: GangFacts["gang"];
  /** Milliseconds since the epoch. */
  readonly failedAt?: number | undefined;
  /** The largest minMember that it was whole with. */
  readonly wholeAt?: number | undefined;
  /** It has ended, and its pods are still there. */
  readonly run?: Run | undefined;
}

/** The last facts of a gang, and what was answered. */
export type KeptFacts = GangFacts & {
  readonly summary: GangSummary;
  readonly help?: string | undefined;
  /** Its members when there were enough of them last. */
  readonly whenEnough: Census;
  /** Its first members by name. */
  readonly pods?: readonly GangPod[] | undefined;
  /** When it ran, also where some of its members are gone by now. */
  readonly times?: GangTimes | undefined;
};

/** The line about a gang after an answer; `fit` is what the answer went by, where it is of prefilter. */
export function lineOf(
  facts: GangFacts,
  { outcome, fit, state, times, now }: {
    outcome: Admission | Decision;
    fit: Fit | undefined;
    state: GroupState;
    times: GangTimes | undefined;
    now: number;
  },
): GangLine {
  const { gang, census, held } = facts;
  const isShort = fit && !fit.isForMinResources && outcome.reason === "InsufficientResources";
  const id = gangId(gang);
  const wholeAt = state.whole?.[id];
  const { reason, message } = outcome.leftOut?.[id] ?? outcome;
  return {
    spec: gang,
    ...(wholeAt !== undefined && { wholeAt }),
    ...(state.failure && { failedAt: state.failure.at }),
    summary: {
      namespace: gang.namespace,
      name: gang.name,
      group: groupId(gang),
      phase: phaseOf(facts),
      minMember: gang.minMember,
      members: { ...census, held: held.length },
      reason,
      message,
      ...(isShort && { fit: { members: fit.members, of: fit.of } }),
      ...(state.standing && { since: new Date(state.standing.since).toISOString() }),
      priority: gang.priority ?? 0,
      createdAt: gang.createdAt,
      ...shownTimes(times),
      updatedAt: new Date(now).toISOString(),
    },
  };
}

function shownTimes(times: GangTimes = {}): Partial<GangSummary> {
  const { runTime, estimate, startedAt, endedAt, requests } = times;
  return JSON.parse(JSON.stringify({ runTime, estimate, startedAt, endedAt, requests }));
}

/** The same line, with the run of a gang that has ended. */
export function withRun(line: GangLine, { whenEnough: census, ...kept }: KeptFacts): GangLine {
  const run = kept.times?.endedAt === undefined ? undefined : runOf({ ...kept, census }, 0);
  return run ? { ...line, run } : line;
}

/** Facts as they are kept: without the held members, of which those that may bind count as bound; `before` are those before them. */
export function keptFacts(
  { gangs, pods, times }: Pick<Group, "gangs" | "pods" | "times">,
  { lines, outcome, before }: {
    lines: readonly GangLine[];
    outcome: Admission | Decision;
    before: readonly KeptFacts[];
  },
): KeptFacts[] {
  const mayBind = new Set("allow" in outcome ? outcome.allow : []);
  const help = "help" in outcome ? outcome.help : undefined;
  return gangs.map((facts, index) => {
    const id = gangId(facts.gang);
    const bound = facts.census.bound + facts.held.filter(({ uid }) => mayBind.has(uid)).length;
    const census = { ...facts.census, bound };
    const last = hasEnough(facts) ? undefined : before.find(({ gang }) => gangId(gang) === id);
    const { endedAt } = times?.[id] ?? {};
    return {
      ...facts,
      held: [],
      summary: lines[index]!.summary,
      whenEnough: last?.whenEnough ?? census,
      help,
      pods: pods?.[id],
      times: last?.times ? { ...last.times, ...(endedAt && { endedAt }) } : times?.[id],
    };
  });
}

/** While a gang's pods are deleted one after another, what is left of them does not tell what became of it. */
function hasEnough({ gang, census, held }: GangFacts): boolean {
  const { pending, gated, bound, succeeded, failed } = census;
  return pending + gated + bound + succeeded + failed + held.length >= gang.minMember;
}
