/**
 * The status of a PodGroup, in the fields of its kind: what it says follows from the pods as they are, and from what it
 * said before only where they can not tell any more.
 *
 * @module
 */
import type { Problem } from "../../core/gang/facts.ts";
import { type Phase, phaseOf } from "../../core/gang/phase.ts";
import { classOf, type Counted, takeCensus } from "../counting/census.ts";
import {
  kubeBatchPodGroup,
  nativePodGroup,
  type PodGroupKind,
  sigsPodGroup,
  xPodGroup,
} from "../declaring/pod_group.ts";
import type { Condition } from "../types.ts";

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
}

/** The facts, and the status as it is. */
export interface StatusGiven {
  readonly facts: StatusFacts;
  readonly before: PodGroupStatus;
}

/** The fields of each kind, by API group. */
const fields: Readonly<Record<string, (given: StatusGiven) => PodGroupStatus>> = {
  [sigsPodGroup.group]: (given) => {
    const summary = summaryOf(given);
    const { phase, placed, hasQuorum, running, succeeded, failed } = summary;
    return {
      // Between Scheduling and Running, Koordinator tells whether enough members have a node.
      phase: phase === "Scheduling" && hasQuorum ? "Scheduled" : phase,
      ...coscheduling(given, summary),
      scheduled: placed,
      running,
      succeeded,
      failed,
    };
  },
  [xPodGroup.group]: (given) => {
    const summary = summaryOf(given);
    const { phase, running, succeeded, failed } = summary;
    return { phase, ...coscheduling(given, summary), running, succeeded, failed };
  },
  // S4 names the counts; it leaves the phases open.
  [kubeBatchPodGroup.group]: (given) => {
    const summary = summaryOf(given);
    const { phase, placed, running, succeeded, failed } = summary;
    return {
      phase,
      ...unschedulable(given, summary),
      admitted: placed,
      running,
      succeeded,
      failed,
    };
  },
  [nativePodGroup.group]: (given) => podGroupScheduled(given, summaryOf(given)),
};

/** The status that a PodGroup should have. */
export function podGroupStatus(kind: PodGroupKind, given: StatusGiven): PodGroupStatus {
  return fields[kind.group]!(given);
}

/** The wanted fields that a status does not have yet, undefined where it has all; a count of 0 may be left out. */
export function missingFrom(
  before: PodGroupStatus,
  wanted: PodGroupStatus,
): PodGroupStatus | undefined {
  const missing = Object.entries(wanted).filter(([name, value]) =>
    !isSame(before[name] ?? 0, value)
  );
  return missing.length > 0 ? Object.fromEntries(missing) : undefined;
}

/** Whether two values of JSON are equal; the API server gives fields in an order of its own. */
function isSame(one: unknown, other: unknown): boolean {
  if (!isObject(one) || !isObject(other)) return one === other;
  return Object.keys({ ...one, ...other }).every((key) => isSame(one[key], other[key]));
}

function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === "object" && value !== null;
}

/** Whether a status turns to another phase or outcome; if not, only numbers and words change. */
export function isTurn(before: PodGroupStatus, wanted: PodGroupStatus): boolean {
  const outcomes = (status: PodGroupStatus) =>
    JSON.stringify(conditionsOf(status).map(({ type, status }) => [type, status]));
  return before["phase"] !== wanted["phase"] ||
    outcomes(before) !== outcomes({ ...before, ...wanted });
}

interface Summary {
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
function summaryOf({ facts, before }: StatusGiven): Summary {
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
  if (!isFinal(earlier) || left > 0) return now;
  return {
    ...now,
    phase: isFinal(now.phase) ? now.phase : earlier,
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

/** So many owners are named; a gang has one as a rule. */
const namedOwners = 10;

/** Whose the members are, and since when they are enough. */
function coscheduling({ facts, before }: StatusGiven, { phase }: Summary): PodGroupStatus {
  const owners = facts.members.flatMap(({ pod: { metadata } }) =>
    metadata.ownerReferences?.map(({ name }) => `${metadata.namespace}/${name}`) ?? []
  );
  const startedAt = before["scheduleStartTime"] ?? (phase === "Pending" ? undefined : facts.now);
  return {
    ...(owners.length > 0 &&
      { occupiedBy: [...new Set(owners)].sort().slice(0, namedOwners).join(",") }),
    ...(startedAt !== undefined && { scheduleStartTime: startedAt }),
  };
}

/** The condition of kube-batch: true while a whole gang is kept waiting, or too few members run. */
function unschedulable(given: StatusGiven, summary: Summary): PodGroupStatus {
  const { phase, hasQuorum, isShort, left } = summary;
  const type = "Unschedulable";
  const { facts: { refusal }, before } = given;
  if (hasQuorum) {
    // It was never true of most gangs, and needs no mention then.
    return conditionIn(before, type)
      ? withCondition(given, { type, status: "False", ...placed })
      : {};
  }
  const isKeptWaiting = phase === "Scheduling" || (refusal?.reason === "Degraded" && isShort) ||
    isMismatch(refusal);
  if (refusal && isKeptWaiting) return withCondition(given, { type, status: "True", ...refusal });
  const wasKeptWaiting = conditionIn(before, type)?.status === "True";
  return wasKeptWaiting && left === 0
    ? withCondition(given, { type, status: "False", reason: "MembersMissing", message: noneLeft })
    : {};
}

/**
 * The condition of KEP-4671; once true, it stays so while a member has its node, and from Kubernetes 1.37 on, which calls
 * it otherwise, for good.
 */
function podGroupScheduled(given: StatusGiven, summary: Summary): PodGroupStatus {
  const isForGood = !given.facts.apiVersion.endsWith("/v1alpha2");
  const type = isForGood ? "PodGroupInitiallyScheduled" : "PodGroupScheduled";
  const { facts: { refusal }, before } = given;
  if (summary.hasQuorum) return withCondition(given, { type, status: "True", ...placed });
  const known = conditionIn(before, type);
  const wasPlaced = known?.status === "True";
  if (wasPlaced && (isForGood || summary.placed > 0)) return {};
  if (refusal && (summary.phase === "Scheduling" || isMismatch(refusal))) {
    const { message } = refusal;
    return withCondition(given, { type, status: "False", reason: "Unschedulable", message });
  }
  // Where its pods are gone nothing tells whose scheduler's gang it was, but for what was said of it.
  const isOurs = wasPlaced && known.message === placed.message;
  return isOurs ? withCondition(given, { type, status: "False", ...noNode }) : {};
}

/** Its members are there, but some are not Muster's to place, and that does not pass by waiting. */
function isMismatch(refusal: Problem | undefined): boolean {
  return refusal?.reason === "SchedulerMismatch";
}

const noneLeft = "no member is left";
const noNode = { reason: "MembersMissing", message: `${noneLeft} that has a node` };
const placed = { reason: "Scheduled", message: "as many members as are needed have a node" };

/** All conditions, with this one as it is now; its time stays while its status does. */
function withCondition(
  { facts, before }: StatusGiven,
  condition: Condition & Problem,
): PodGroupStatus {
  const { type, status, reason, message } = condition;
  const known = conditionIn(before, type);
  if (known?.status === status && known.reason === reason && known.message === message) return {};
  const lastTransitionTime = known?.status === status ? known.lastTransitionTime : undefined;
  const changed = { ...known, ...condition, lastTransitionTime: lastTransitionTime ?? facts.now };
  const conditions = conditionsOf(before);
  return {
    conditions: known
      ? conditions.map((other) => other === known ? changed : other)
      : [...conditions, changed],
  };
}

function conditionIn(status: PodGroupStatus, type: string): Condition | undefined {
  return conditionsOf(status).find((condition) => condition.type === type);
}

function conditionsOf({ conditions }: PodGroupStatus): readonly Condition[] {
  return Array.isArray(conditions) ? conditions : [];
}
