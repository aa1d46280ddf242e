/**
 * What members behind Muster's gate say: the scheduler does not look at them, so their `PodScheduled` condition is the
 * relay's to write, and so are events, which `kubectl describe` shows.
 *
 * @module
 */
import { speaksAt, spoken } from "../words/telling.ts";
import { told } from "../words/told.ts";
import { goesOnByItself } from "../words/why_pending.ts";
import type { Attended, Why } from "./attended.ts";
import { type Advanced, inTurn } from "./effect.ts";
import type { Snapshot } from "./snapshot.ts";
import { times } from "./times.ts";

/** Autoscalers act on `Unschedulable`: only a gang that is whole and lacks nothing but room says so. */
const lacksRoom: readonly string[] = [
  "InsufficientResources",
  "BehindInQueue",
  "MemberUnschedulable",
  "TimedOut",
];

interface Said {
  readonly reason: "Unschedulable" | "SchedulingGated";
  readonly message: string;
}

/** When something is to be written about gated members, in ms since the epoch; Infinity: they say what is so. */
export function gatedDueAt(attended: Attended, snapshot: Snapshot): number {
  const { standing } = attended;
  if (standing.phase !== "refused") return Infinity;
  const soonest = standing.since + times.conditionQuiet;
  const { why } = standing;
  const due = Math.min(
    conditionDueAt(attended, why, snapshot),
    eventDueAt(attended, why, snapshot),
  );
  return Math.max(soonest, due);
}

/** Writes what is due: conditions, and an event about each member when the reason is another one. */
export function tellGated(attended: Attended, snapshot: Snapshot, now: number): Advanced {
  const { standing } = attended;
  if (standing.phase !== "refused" || now < gatedDueAt(attended, snapshot)) {
    return { attended, effects: [] };
  }
  const { why } = standing;
  return inTurn(attended, [
    (attended) =>
      now < eventDueAt(attended, why, snapshot)
        ? { attended, effects: [] }
        : writeEvents(attended, { why, snapshot, now }),
    (attended) =>
      now < conditionDueAt(attended, why, snapshot)
        ? { attended, effects: [] }
        : writeConditions(attended, { why, snapshot, now }),
  ]);
}

function conditionDueAt({ conditionSaid }: Attended, why: Why, snapshot: Snapshot): number {
  if (unsaid(why, snapshot).length === 0) return Infinity;
  const isSame = conditionSaid?.reason === why.reason;
  const wait = isSame ? times.conditionSame : times.conditionQuiet;
  return (conditionSaid?.at ?? -Infinity) + wait;
}

function writeConditions(
  attended: Attended,
  { why, snapshot, now }: { why: Why; snapshot: Snapshot; now: number },
): Advanced {
  return {
    attended: { ...attended, conditionSaid: { reason: why.reason, at: now } },
    effects: [{ do: "say", uids: unsaid(why, snapshot), ...saying(why) }],
  };
}

function eventDueAt(attended: Attended, why: Why, snapshot: Snapshot): number {
  const isUntold = unaware(attended, why, snapshot).length > 0;
  return isUntold ? speaksAt(attended.spoken, why.reason) : Infinity;
}

function writeEvents(
  attended: Attended,
  { why, snapshot, now }: { why: Why; snapshot: Snapshot; now: number },
): Advanced {
  const { reason, message } = why;
  const uids = unaware(attended, why, snapshot);
  let { saidReasons } = attended;
  for (const uid of uids) saidReasons = saidReasons.with(uid, reason);
  const type = goesOnByItself(reason) ? "Normal" : "Warning";
  return {
    attended: { ...attended, saidReasons, spoken: spoken(attended.spoken, { reason, now }) },
    effects: [{ do: "tell", uids, type, reason, message, at: now }],
  };
}

/** Members of which no event says the reason; what is wrong with a declaration is said elsewhere, in more words. */
function unaware({ saidReasons }: Attended, why: Why, snapshot: Snapshot): string[] {
  if (why.reason === "InvalidGang") return [];
  const untold = new Set(unsaid(why, snapshot));
  return snapshot.gated().map(({ uid }) => uid).filter((uid) => {
    const known = saidReasons.get(uid);
    // An earlier relay has said so.
    return known === undefined ? untold.has(uid) : known !== why.reason;
  });
}

function unsaid(why: Why, snapshot: Snapshot): string[] {
  const { reason, message } = saying(why);
  return snapshot.gated()
    .filter(({ says }) => says?.reason !== reason || says.message !== message)
    .map(({ uid }) => uid);
}

function saying({ reason, message }: Why): Said {
  return {
    reason: lacksRoom.includes(reason) ? "Unschedulable" : "SchedulingGated",
    message: told(message),
  };
}
