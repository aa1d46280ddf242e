/**
 * What every PodGroup's status is made from: its members as they are, and what it said before.
 *
 * @module
 */
import type { Problem } from "../../core/gang/facts.ts";
import { type Phase, phaseOf } from "../../core/gang/phase.ts";
import { classOf, type Counted, takeCensus } from "../counting/census.ts";

/** A status, in the spelling of its kind. */
export type PodGroupStatus = Readonly<Record<string, unknown>>;

/** What is known now of the gang that a PodGroup declares. */
export interface StatusFacts {
  /** Absent: it has no usable quorum. */
  readonly minMember?: number | undefined;
  /** The members that count. */
  readonly members: readonly Counted[];
  /** Why its members are not let in, or run with too few; absent: nothing is known against it. */
  readonly refusal?: Problem | undefined;
  /** RFC 3339, whole seconds. */
  readonly now: string;
  /** Of the PodGroup. */
  readonly apiVersion: string;
  /** Names that Muster's scheduler answers to. */
  readonly schedulerNames: readonly string[];
}

/** The facts, and the status as it is. */
export interface StatusGiven {
  readonly facts: StatusFacts;
  readonly before: PodGroupStatus;
}

/** What the fields of every kind are made from. */
export interface Summary {
  readonly phase: Phase;
  /** Whether minMember members have a node, or had one and succeeded. */
  readonly hasQuorum: boolean;
  /** Members that have or had a node. */
  readonly placed: number;
  /** Whether some members have a node and none is about to leave: the others are gone. */
  readonly isShort: boolean;
  /** Members that wait or have a node. */
  readonly left: number;
  readonly running: number;
  readonly succeeded: number;
  readonly failed: number;
}

/** A gang that is over stays so when its pods are cleaned up, until members come that are not. */
export function summaryOf({ facts, before }: StatusGiven): Summary {
  const { minMember, members } = facts;
  const census = takeCensus(members);
  const { bound, running, succeeded, failed, terminating } = census;
  const left = census.pending + census.gated + bound;
  const now = {
    phase: minMember === undefined
      ? "Pending" as const
      : phaseOf({ gang: { minMember }, census, held: [] }),
    hasQuorum: minMember !== undefined && bound + succeeded >= minMember,
    placed: members.filter(hasPlace).length,
    isShort: bound > 0 && terminating === 0,
    left,
    running,
    succeeded,
    failed,
  };
  const { phase: earlier } = before;
  const isOver = isFinal(earlier) || earlier === "Completed";
  if (!isOver || left > 0) return now;
  return {
    ...now,
    phase: isFinal(now.phase) || !isFinal(earlier) ? now.phase : earlier,
    placed: Math.max(now.placed, countIn(before, "scheduled"), countIn(before, "admitted")),
    succeeded: Math.max(succeeded, countIn(before, "succeeded")),
    failed: Math.max(failed, countIn(before, "failed")),
  };
}

function isFinal(phase: unknown): phase is "Finished" | "Failed" {
  return phase === "Finished" || phase === "Failed";
}

function hasPlace({ pod, node = pod.spec.nodeName }: StatusFacts["members"][number]): boolean {
  return node !== undefined && classOf(pod, node) !== "terminating";
}

function countIn(status: PodGroupStatus, name: string): number {
  return Number(status[name] ?? 0);
}
