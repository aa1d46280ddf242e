/**
 * What happens to a PodGroup whose status is kept, and what follows: one write at a time, of what is so then.
 *
 * @module
 */
import { times } from "../core/attend/times.ts";
import type { GroupingKind } from "../kubernetes/declaring/composite_pod_group.ts";
import type { PodGroup } from "../kubernetes/declaring/pod_group.ts";
import type { PodGroupStatus } from "../kubernetes/status/summary.ts";
import { dueStatus, type KnownStatus, type Reported, shownStatus } from "./reported_status.ts";

/** Something that the status depends on. */
export type StatusEvent =
  /** The pods of its gang, or why they wait, or who writes. */
  | { readonly is: "changed" }
  /** The watch showed the PodGroup. */
  | { readonly is: "shown"; readonly podGroup: PodGroup }
  /** A time has come; what the status is made from then. */
  | { readonly is: "woken"; readonly reported: Reported }
  /** The API server answered a write with the PodGroup as it is. */
  | { readonly is: "written"; readonly answer: PodGroup }
  /** It did not take it; not tried again: the PodGroup is gone, or newer than is known, as the watch will tell. */
  | { readonly is: "not written"; readonly isTriedAgain: boolean };

/** What follows: fields to write now, and when to look at it at the latest, in ms since the epoch; Infinity: at no time. */
export interface FollowedStatus {
  readonly known: KnownStatus;
  readonly write?: PodGroupStatus;
  readonly wakeAt: number;
}

/** A PodGroup that has just been seen. */
export function newlySeen(kind: GroupingKind, podGroup: PodGroup): KnownStatus {
  return {
    kind,
    podGroup,
    written: undefined,
    writing: undefined,
    isToLookAt: false,
    differsSince: undefined,
    notBefore: 0,
  };
}

/** What follows from an event; `now` is in ms since the epoch. */
export function followStatus(before: KnownStatus, event: StatusEvent, now: number): FollowedStatus {
  switch (event.is) {
    case "changed":
      return { known: before, wakeAt: now + times.statusSoon };
    case "shown":
      return {
        known: { ...before, podGroup: event.podGroup },
        wakeAt: now + times.statusSoon,
      };
    case "woken":
      return look(before, event.reported, now);
    case "written":
      return afterWrite(withAnswer(before, event.answer), now);
    case "not written": {
      const after = afterWrite(before, now);
      if (!event.isTriedAgain) return after;
      const notBefore = (before.writing?.at ?? now) + times.statusAgain;
      return {
        known: { ...after.known, notBefore },
        wakeAt: Math.min(after.wakeAt, notBefore),
      };
    }
  }
}

/** Writes what is missing, unless it is too soon for that. */
function look(before: KnownStatus, reported: Reported, now: number): FollowedStatus {
  if (before.writing) return { known: { ...before, isToLookAt: true }, wakeAt: Infinity };
  const due = dueStatus(before, reported, now);
  if (!due || now < due.dueAt) {
    const known = { ...before, differsSince: due?.differsSince };
    return { known, wakeAt: due?.dueAt ?? Infinity };
  }
  const { fields } = due;
  const writing = {
    fields: { ...shownStatus(before), ...fields },
    podGroup: before.podGroup,
    at: now,
  };
  return {
    known: { ...before, writing, differsSince: undefined },
    write: fields,
    wakeAt: Infinity,
  };
}

/** What was to be looked at meanwhile is. */
function afterWrite(before: KnownStatus, now: number): FollowedStatus {
  return {
    known: { ...before, writing: undefined, isToLookAt: false },
    wakeAt: before.isToLookAt ? now + times.statusSoon : Infinity,
  };
}

/** What the watch has shown meanwhile is as new as the answer, or newer. */
function withAnswer(before: KnownStatus, { metadata, status }: PodGroup): KnownStatus {
  if (!before.writing) return before;
  const { fields, podGroup, at } = before.writing;
  const written = { fields, version: metadata.resourceVersion, at };
  const isShown = before.podGroup !== podGroup;
  return {
    ...before,
    written,
    podGroup: isShown ? before.podGroup : { ...podGroup, metadata, ...(status && { status }) },
  };
}
