/**
 * What the status of a PodGroup is to say, and when that is written.
 *
 * @module
 */
import type { Verdict } from "../core/attend/attended.ts";
import { times } from "../core/attend/times.ts";
import type { Problem } from "../core/gang/facts.ts";
import type { GroupingKind } from "../kubernetes/declaring/composite_pod_group.ts";
import type { PodGroup } from "../kubernetes/declaring/pod_group.ts";
import { type CompositeOutlook, compositeStatus } from "../kubernetes/status/composite_status.ts";
import { isTurn, missingFrom } from "../kubernetes/status/difference.ts";
import { podGroupStatus } from "../kubernetes/status/pod_group_status.ts";
import type { PodGroupStatus } from "../kubernetes/status/summary.ts";
import type { Gang } from "./gang.ts";

/** A PodGroup, or what PodGroups are in, and what is known of its status. */
export interface KnownStatus {
  readonly kind: GroupingKind;
  readonly podGroup: PodGroup;
  /** What was written last, and the version that it gave; `at` is in ms since the epoch, as all times here. */
  readonly written:
    | { readonly fields: PodGroupStatus; readonly version: string | undefined; readonly at: number }
    | undefined;
  /** What is being written. */
  readonly writing:
    | { readonly fields: PodGroupStatus; readonly podGroup: PodGroup; readonly at: number }
    | undefined;
  /** When that is over. */
  readonly isToLookAt: boolean;
  /** Since when it is not as it should be. */
  readonly differsSince: number | undefined;
  /** Nothing is written before. */
  readonly notBefore: number;
}

/** What statuses are made from beside what is known of them. */
export type Reported = ReportedGang | { readonly outlook: CompositeOutlook | undefined };

/** What the status of a PodGroup is made from. */
export interface ReportedGang {
  /** The gang of the PodGroup's name; it may be another PodGroup's. */
  readonly gang: Gang | undefined;
  /** The verdict that `filter` answers with. */
  readonly verdict: Verdict | undefined;
  readonly schedulerNames: readonly string[];
}

/** What is to be written and when, at `dueAt`; undefined: nothing is, or it is none of this relay's business. */
export interface DueStatus {
  readonly fields: PodGroupStatus;
  readonly differsSince: number;
  readonly dueAt: number;
}

/** What is missing from a status now. */
export function dueStatus(
  known: KnownStatus,
  reported: Reported,
  now: number,
): DueStatus | undefined {
  const before = shownStatus(known);
  const fields = statusFor(known, { ...reported, before, now });
  if (!fields || !missingFrom(before, fields)) return undefined;
  const differsSince = known.differsSince ?? now;
  const soonest = Math.max(
    known.notBefore,
    isOverwritten(known) ? known.written!.at + times.statusAgain : 0,
  );
  const wantedAt = isTurn(before, fields) ? now : differsSince + times.statusCalm;
  return { fields, differsSince, dueAt: Math.max(soonest, wantedAt) };
}

/** The status as far as it is known: also what was written, but finds no place in the definition of the kind. */
export function shownStatus({ podGroup, written }: KnownStatus): PodGroupStatus {
  const isLatest = written?.version === podGroup.metadata.resourceVersion;
  return { ...podGroup.status, ...(isLatest && written?.fields) };
}

function statusFor(
  { kind, podGroup }: KnownStatus,
  { before, now: ms, ...reported }: Reported & { before: PodGroupStatus; now: number },
): PodGroupStatus | undefined {
  const now = new Date(ms).toISOString().replace(/\.\d+Z$/, "Z");
  if ("outlook" in reported) {
    return reported.outlook && compositeStatus(reported.outlook, { before, facts: { now } });
  }
  const { gang, verdict, schedulerNames } = reported;
  const read = gang?.read();
  const isItsOwn = read?.podGroup?.metadata.uid === podGroup.metadata.uid;
  return podGroupStatus(kind, {
    before,
    facts: {
      minMember: read?.problem?.reason === "InvalidMinMember" ? undefined : read?.spec.minMember,
      members: gang && isItsOwn ? gang.counted() : [],
      refusal: refusalIn(verdict),
      now,
      apiVersion: podGroup.apiVersion,
      schedulerNames,
    },
  });
}

/** Why a gang is not let in, or runs with too few; undefined: nothing is known against it. */
export function refusalIn(verdict: Verdict | undefined): Problem | undefined {
  if (!verdict || verdict.reason === "FunctionsUnreachable") return undefined;
  const { reason, message } = verdict;
  const isRefused = verdict.verdict === "reject" ||
    ["Degraded", "SchedulerMismatch"].includes(reason);
  return isRefused ? { reason, message } : undefined;
}

/** Whether somebody else says otherwise than what was written. */
function isOverwritten({ podGroup, written }: KnownStatus): boolean {
  return written !== undefined && written.version !== podGroup.metadata.resourceVersion &&
    missingFrom(podGroup.status ?? {}, written.fields) !== undefined;
}
