/**
 * What is kept of a gang group, and the stories of its gangs.
 *
 * @module
 */
import type { Ended, GangDetail, GangSummary } from "../contract/types.ts";
import type { Admission, Decision } from "../core/stage/decision.ts";
import { type GangFacts, gangId } from "../core/gang/facts.ts";
import type { Run } from "../core/gang/gang_times.ts";
import type { GroupState } from "../core/stage/state.ts";
import type { StageEvent } from "../core/stage/step.ts";
import { howEnded } from "../core/words/how_ended.ts";
import type { KeptFacts } from "./gang_line.ts";
import { runOf } from "./gang_run.ts";

/** Decisions kept for `GET /v1/gangs/{namespace}/{name}`. */
const keptDecisions = 20;

/** The story of a gang, as its group's object knows it. */
export type GangStory =
  & Pick<GangDetail, "spec" | "pods" | "deadline" | "failedAt" | "help" | "decisions">
  & GangSummary;

/** What is kept of a gang that is gone. */
export type EndedGang = GangStory & {
  readonly ended: Ended;
  /** Absent: it never started. */
  readonly run?: Run | undefined;
};

/** All that is kept of a group, in one value: keeping it writes one row. */
export interface KeptGroup {
  readonly state: GroupState;
  readonly facts: readonly KeptFacts[];
  readonly answer: LastAnswer;
  /** Digest of the lines last given to the index, without their time, and of when and for whom it is told again. Absent: none were. */
  readonly reported?: string | undefined;
  /** The last one first. */
  readonly decisions: GangDetail["decisions"];
  /** Milliseconds since the epoch. */
  readonly askedAt: number;
}

/** The last call of a stage, and what was answered. */
export interface LastAnswer {
  readonly stage: string;
  readonly relay: string;
  readonly epoch: number;
  /** What the call said. */
  readonly digest: string;
  readonly outcome: Admission | Decision;
}

/** The story of one of its gangs. */
export function storyOf(
  facts: KeptFacts,
  { state: { round, failure }, decisions }: KeptGroup,
): GangStory {
  return {
    ...facts.summary,
    ...(facts.help !== undefined && { help: facts.help }),
    spec: facts.gang,
    ...(facts.pods && { pods: facts.pods }),
    ...(round && { deadline: new Date(round.deadline).toISOString() }),
    ...(failure && { failedAt: new Date(failure.at).toISOString() }),
    decisions,
  } as GangStory;
}

/** The stories of gangs that are gone, and how they ended by the last that is told of them. */
export function endedOf(
  group: KeptGroup,
  { gangs, now }: { gangs: readonly GangFacts[]; now: number },
): EndedGang[] {
  const at = new Date(now).toISOString();
  return group.facts.flatMap((kept) => {
    const last = gangs.find(({ gang }) => gangId(gang) === gangId(kept.gang));
    // Its pods are there, and are another scheduler's.
    if (last?.census.foreign) return [];
    const preempted = last?.preempted ?? kept.preempted;
    const message = howEnded({ gang: kept.gang, census: kept.whenEnough, preempted });
    const { help: _, deadline: __, pods: ___, estimate: ____, ...story } = storyOf(kept, group);
    const run = runOf({ ...kept, census: kept.whenEnough, preempted }, now);
    return [{ ...story, ended: { at, message }, ...(run && { run }) }];
  });
}

/** The same of those that are gone while `gangs` of the group are there. */
export function endedBeside(
  group: KeptGroup,
  { gangs, now }: { gangs: readonly GangFacts[]; now: number },
): EndedGang[] {
  const here = new Set(gangs.map(({ gang }) => gangId(gang)));
  const facts = group.facts.filter(({ gang }) => !here.has(gangId(gang)));
  return endedOf({ ...group, facts }, { gangs, now });
}

/** The decisions with the one that was just made, unless the last one said the same. */
export function withDecision(
  decisions: KeptGroup["decisions"],
  { stage, outcome, now }: {
    stage: StageEvent["stage"];
    outcome: Admission | Decision;
    now: number;
  },
): KeptGroup["decisions"] {
  const { verdict, reason, message } = outcome;
  const [last] = decisions;
  if (last?.stage === stage && last.message === message) return decisions;
  const made = { at: new Date(now).toISOString(), stage, verdict, reason, message };
  return [made, ...decisions.slice(0, keptDecisions - 1)];
}
