/**
 * Members that the scheduler's own plugins refuse while their gang is let in.
 *
 * @module
 */
import type { MemberFailure } from "../gang/facts.ts";
import { limits } from "../gang/limits.ts";
import { shortened } from "../words/text.ts";
import type { Attended } from "./attended.ts";
import { learnFailure } from "./learn_failure.ts";
import { openPlaces } from "./placement.ts";
import { isBeyondPlans, isPassing, isWithinPlans } from "./scheduler_reasons.ts";
import { failureOf, openCalls, type Snapshot, type UnschedulableMember } from "./snapshot.ts";
import { times } from "./times.ts";

/**
 * Notes a refusal that is new, or doubts it: then it is noted only if it stands. The scheduler may have begun to look before room
 * was there (a node whose taint is being removed, pods that are just gone). So a refusal is doubted
 * - where its member was refused before, in other words, and its gang has just been let in;
 * - where a node with a place for the member has just changed;
 * - where its reason passes by itself;
 * - where plans know of its reasons, and have found room all the same.
 */
export function noticeFailure(
  attended: Attended,
  { failure, failedBefore, kind, changed = [] }: {
    failure: MemberFailure;
    failedBefore: boolean;
    kind?: string | undefined;
    changed?: readonly string[] | undefined;
  },
  now: number,
): Attended {
  const { standing, fitsSince } = attended;
  if (standing.phase !== "let in") return attended;
  const isOld = (failedBefore && now < standing.at + times.staleCycle) ||
    changed.some((node) => hasPlaceOn(node, { attended, failure, kind }));
  // Of the last plan: what happens since, as that a sibling comes to bind, does not take the room away.
  const hasRoom = fitsSince !== undefined;
  const { message } = failure;
  if (isOld || isPassing(message) || (hasRoom && isWithinPlans(message))) {
    const doubtedAt = Math.min(standing.doubtedAt, now);
    return { ...attended, standing: { ...standing, doubtedAt } };
  }
  return note(attended, [{ ...failure, kind }]);
}

function hasPlaceOn(
  node: string,
  { attended: { id, placement }, failure: { uid, gang = id }, kind }: {
    attended: Attended;
    failure: MemberFailure;
    kind: string | undefined;
  },
): boolean {
  return kind !== undefined && openPlaces(placement, { uid, kind, gang }).includes(node);
}

/**
 * Notes refusals that stand although siblings have been held for long enough, or since they were doubted. The scheduler
 * writes a refusal only when its words change, so a second one of the same words is not seen as an event.
 */
export function noticeStanding(attended: Attended, snapshot: Snapshot, now: number): Attended {
  if (now < standingAt(attended, snapshot)) return attended;
  const failures = standingFailures(attended, snapshot);
  const learnt = failures.reduce(
    (known, failure) => {
      const { kind } = failure;
      const alikeOn = kind === undefined ? undefined : snapshot.alikeOn(kind);
      return learnFailure(known, { failure, kind, alikeOn }, now);
    },
    attended,
  );
  const noted = note(learnt, failures);
  const { standing } = noted;
  return standing.phase === "let in"
    ? { ...noted, standing: { ...standing, doubtedAt: Infinity } }
    : noted;
}

/** When refusals that stand are due to be noted, in ms since the epoch; Infinity: there are none. */
export function standingAt(attended: Attended, snapshot: Snapshot): number {
  const { standing } = attended;
  if (standing.phase !== "let in") return Infinity;
  const since = Math.min(
    standing.doubtedAt,
    ...openCalls(snapshot).map(({ openedAt }) => openedAt),
  );
  if (since === Infinity || standingFailures(attended, snapshot).length === 0) return Infinity;
  return since + times.settled;
}

/** A member is held, was let in anew, or is gone: it is not refused any more. */
export function forgetFailure(attended: Attended, uid: string): Attended {
  const { standing } = attended;
  if (standing.phase !== "let in" || !standing.failed.has(uid)) return attended;
  return { ...attended, standing: { ...standing, failed: standing.failed.without(uid) } };
}

function standingFailures({ standing }: Attended, snapshot: Snapshot): UnschedulableMember[] {
  if (standing.phase !== "let in") return [];
  return snapshot.unschedulable().filter(({ uid }) => !standing.failed.has(uid));
}

/** Notes refusals of members; they are reported together. */
export function note(attended: Attended, failures: readonly UnschedulableMember[]): Attended {
  const { standing } = attended;
  if (standing.phase !== "let in" || failures.length === 0) return attended;
  let { failed } = standing;
  const untaken = new Map(standing.untaken);
  for (const member of failures) {
    const message = shortened(member.message, limits.quotation);
    failed = failed.with(member.uid, { ...failureOf(member), message });
    const { uid, kind, message: text } = member;
    if (kind !== undefined && !untaken.has(kind) && isBeyondPlans(text)) untaken.set(kind, uid);
  }
  const kinds = untaken.size > 0 ? { untaken: [...untaken] } : {};
  return { ...attended, standing: { ...standing, failed, hasNewFailure: true, ...kinds } };
}
