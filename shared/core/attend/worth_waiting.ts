/**
 * Members that the scheduler tries too early.
 *
 * @module
 */
import { type Attended, isJudged, isLetIn } from "./attended.ts";
import { missedMembers } from "./standing.ts";
import { times } from "./times.ts";

/** Who has come of a gang group. */
export interface Came {
  /** One of its gangs lacks members. */
  readonly isIncomplete: boolean;
  /** So many wait for a node. */
  readonly waiting: number;
}

/**
 * Until when a member that the scheduler tries is better not answered, as long as nobody else could be placed meanwhile: its
 * siblings keep coming, or the verdict on them all is on its way. In ms since the epoch; 0: it may be tried.
 */
export function worthWaitingUntil(
  attended: Attended,
  { isIncomplete, waiting }: Came,
): number {
  if (isLetIn(attended)) return 0;
  const { first, last } = attended.arrivals;
  const most = Math.min(times.gathers + waiting * times.gathersPerMember, times.gathersMost);
  const gathered = isIncomplete ? Math.min(last + times.follows, first + most) : last;
  const isOnItsWay = !isJudged(attended) || (!isIncomplete && missedMembers(attended.standing));
  return isOnItsWay ? gathered + times.judged : gathered;
}
