/**
 * What happens to the members and gangs of a group, after which it is planned anew.
 *
 * @module
 */
import { type Attended, withLost } from "./attended.ts";
import type { EventOf } from "./event.ts";
import { breakUp, withoutMember } from "./eviction.ts";
import { forgetFailure, noticeFailure } from "./failure.ts";
import { arrived } from "./gathering.ts";
import { learnFailure } from "./learn_failure.ts";
import { withoutPlaceOf } from "./placement.ts";
import { withoutUntaken } from "./refused_nodes.ts";
import { times } from "./times.ts";
import { isLeftOut } from "./unplaced.ts";

/** An event after which the group is planned anew. */
export type Change = EventOf<
  | "member came"
  | "member changed"
  | "member left"
  | "place lost"
  | "call opened"
  | "call lost"
  | "gang came"
  | "gang left"
  | "bound"
  | "declared"
>;

/** What is known of the group after it; `now` is in ms since the epoch. */
export function changedBy(attended: Attended, change: Change, now: number): Attended {
  switch (change.is) {
    case "member came":
      return memberCame(attended, change, now);
    case "member changed":
      return memberChanged(attended, change, now);
    case "member left":
      return memberLeft(attended, change);
    case "place lost":
      return placeLost(attended, change);
    case "call opened":
      return { ...waitsNoMore(attended, change.uid), keepsUntil: now + times.keepsHeld };
    case "call lost":
      return withLost(attended, [change.loss]);
    case "gang came":
      return gangCame(attended, change);
    case "gang left":
      return gangLeft(attended, change);
    case "bound":
      return change.isWhole ? wholeAgain(attended, change.gang) : attended;
    case "declared":
      return attended;
  }
}

function memberCame(
  attended: Attended,
  { uid, refusal }: EventOf<"member came">,
  now: number,
): Attended {
  return {
    ...attended,
    arrivals: arrived(attended.arrivals, now),
    refused: refusal ? attended.refused.with(uid, refusal) : attended.refused,
  };
}

function memberChanged(
  attended: Attended,
  { failure, failedBefore = false, kind, changed, alikeOn }: EventOf<"member changed">,
  now: number,
): Attended {
  if (!failure) return attended;
  const learnt = learnFailure(attended, { failure, kind, changed, alikeOn }, now);
  return isLeftOut(attended, failure, kind)
    ? learnt
    : noticeFailure(learnt, { failure, failedBefore, kind, changed }, now);
}

function memberLeft(
  attended: Attended,
  { uid, isIncomplete }: EventOf<"member left">,
): Attended {
  return {
    ...waitsNoMore(attended, uid),
    ...(isIncomplete && weakened(attended, { isTooFew: true })),
    saidReasons: attended.saidReasons.without(uid),
    broken: withoutMember(attended.broken, uid),
    takenBack: attended.takenBack.without(uid),
  };
}

function placeLost(
  attended: Attended,
  { uid, gang, by, isTooFew, rest }: EventOf<"place lost">,
): Attended {
  const after = { ...attended, ...weakened(attended, { isTooFew }) };
  if (by === undefined) return after;
  return {
    ...after,
    preempted: withPreempted(attended.preempted, { uid, gang, by }),
    broken: rest ? breakUp(attended.broken, { gang, by, rest }) : attended.broken,
  };
}

/** A member is held, or gone: what was known of how it waits is over. */
function waitsNoMore(attended: Attended, uid: string): Attended {
  return {
    ...forgetFailure(attended, uid),
    refused: attended.refused.without(uid),
    refusedNodes: withoutUntaken(attended.refusedNodes, uid),
    coming: attended.coming.without(uid),
    nominated: attended.nominated.without(uid),
    placement: withoutPlaceOf(attended.placement, uid),
  };
}

/** An answer on its way speaks of more than is left. */
function weakened(
  { weakened: before, brokenAt }: Attended,
  { isTooFew }: { isTooFew: boolean },
): Pick<Attended, "weakened" | "brokenAt"> {
  const weakened = before + 1;
  return { weakened, brokenAt: isTooFew ? weakened : brokenAt };
}

/** A gang comes from another group, with what that knew of it. */
function gangCame(
  attended: Attended,
  { gang, refused, lost, preempted }: EventOf<"gang came">,
): Attended {
  return {
    ...attended,
    refused: refused.reduce((all, [uid, refusal]) => all.with(uid, refusal), attended.refused),
    lost: [...attended.lost, ...lost],
    preempted: preempted ? new Map([...attended.preempted, [gang, preempted]]) : attended.preempted,
  };
}

/** An answer on its way speaks of members that are not its own any more. */
function gangLeft(attended: Attended, { gang, uids }: EventOf<"gang left">): Attended {
  const rest = uids.reduce(forgetFailure, attended);
  let { refused } = rest;
  for (const [uid, refusal] of refused) {
    if (refusal.gang === gang) refused = refused.without(uid);
  }
  const lost = rest.lost.filter((loss) => loss.gang !== gang);
  const preempted = withoutGang(rest.preempted, gang);
  const broken = withoutGang(rest.broken, gang);
  return { ...rest, refused, lost, preempted, broken, weakened: rest.weakened + 1 };
}

/** A gang has as many members as it needs: what it has suffered before is over. */
function wholeAgain(attended: Attended, gang: string): Attended {
  return {
    ...attended,
    promise: undefined,
    vainEvictions: undefined,
    preempted: withoutGang(attended.preempted, gang),
  };
}

/** A member had to leave. */
function withPreempted(
  before: Attended["preempted"],
  { uid, gang, by }: { uid: string; gang: string; by: string },
): Attended["preempted"] {
  const uids = new Set([...before.get(gang)?.uids ?? [], uid]);
  return new Map([...before, [gang, { uids: [...uids], by }]]);
}

function withoutGang<T>(before: ReadonlyMap<string, T>, gang: string): ReadonlyMap<string, T> {
  return before.has(gang) ? new Map([...before].filter(([other]) => other !== gang)) : before;
}
