/**
 * A row of the tables that core and the functions must both answer alike.
 *
 * @module
 */
import { assertEquals, assertObjectMatch, assertStringIncludes } from "@std/assert";
import type { Admission, Decision } from "../../../shared/core/stage/decision.ts";
import type { Group } from "../../../shared/core/gang/facts.ts";
import type { Reason } from "../../../shared/core/words/reason.ts";
import { type ProfileName, profiles, type Settings } from "../../../shared/core/gang/settings.ts";
import { emptyState } from "../../../shared/core/stage/state.ts";
import { type StageEvent, step } from "../../../shared/core/stage/step.ts";
import { now } from "../../support/facts.ts";

type WithoutSettings<E> = E extends StageEvent ? Omit<E, "settings"> : never;

/** What a stage is asked; the settings are the functions' own. */
export type Call = WithoutSettings<StageEvent>;

/** A call that led to the state in which a row happens. */
export interface Earlier {
  readonly secondsAgo: number;
  readonly call: Call;
}

/** What a row may say beside its call. */
export interface Circumstances {
  readonly id: string;
  /** Default: `default`. */
  readonly profile?: ProfileName;
  /** Beyond the profile. */
  readonly settings?: Partial<Settings>;
  /** The oldest first. */
  readonly before?: readonly Earlier[];
}

/** One row: calls of one gang group, of which the last happens at `now` of tests/support/facts.ts. */
export interface ConformanceCase extends Circumstances {
  readonly call: Call;
  /** Throws where the answer is not the expected one. */
  readonly check: (answer: Admission | Decision) => void;
}

/** What is expected of a decision; absent: anything. */
export interface Expected {
  readonly expect: Decision["verdict"];
  readonly reason?: Reason;
  readonly need?: number;
  /** A part of the message. */
  readonly says?: string;
}

/** The calls of a row with their times in ms since the epoch, told by one relay, each newer than the one before. */
export function timedCalls({ before = [], call }: ConformanceCase): { call: Call; at: number }[] {
  return [...before, { secondsAgo: 0, call }].map((earlier, index) => {
    const relay = { id: "relay", epoch: index + 1 };
    const told = { ...earlier.call, group: { ...earlier.call.group, relay } };
    return { call: told, at: now - earlier.secondsAgo * 1000 };
  });
}

/** What core answers to the last call of a row. */
export function answerOfCore(row: ConformanceCase): Admission | Decision {
  const settings = { ...profiles[row.profile ?? "default"], ...row.settings };
  let state = emptyState;
  let answer: Admission | Decision | undefined;
  for (const { call, at } of timedCalls(row)) {
    const { state: next, outcome } = step(state, { ...call, settings } as StageEvent, at);
    state = next;
    answer = outcome;
  }
  return answer!;
}

/** Checks a decision over all held members of a group. */
export function checkDecision(answer: Decision, about: Expected & { given: Group }): void {
  const held = about.given.gangs.flatMap((facts) => facts.held.map(({ uid }) => uid));
  assertObjectMatch({ ...answer }, {
    verdict: about.expect,
    allow: about.expect === "allow" ? held : [],
    wait: about.expect === "wait" ? held : [],
    reject: about.expect === "reject" ? held : [],
  });
  assertEquals(answer.reason, about.reason ?? answer.reason);
  assertEquals(answer.need, about.need ?? answer.need);
  assertStringIncludes(answer.message, about.says ?? "");
}
