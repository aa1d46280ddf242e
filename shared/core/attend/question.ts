/**
 * What the policy functions are asked about a gang group.
 *
 * @module
 */
import type { StartEstimate } from "../gang/gang_times.ts";
import type { Ahead, Fit, Group, Loss, MemberFailure } from "../gang/facts.ts";

/** A call of a stage. */
export type Question = PrefilterQuestion | DecisionQuestion;

/** Whether the scheduler may try its members. */
export interface PrefilterQuestion {
  readonly stage: "prefilter";
  readonly request: Group & {
    readonly fit?: Fit;
    readonly refused?: MemberFailure;
    readonly ahead?: Ahead;
    readonly estimate?: StartEstimate;
    readonly untried?: true;
    readonly atGate?: true;
  };
}

/** What becomes of its held members. */
export type DecisionQuestion =
  | { readonly stage: "permit"; readonly request: Group }
  | {
    readonly stage: "postfilter";
    readonly request: Group & { readonly failed: readonly MemberFailure[] };
  }
  | { readonly stage: "unreserve"; readonly request: Group & { readonly lost: readonly Loss[] } };
