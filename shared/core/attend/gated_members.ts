/**
 * What members behind Muster's gate say: the scheduler does not look at them, so their `PodScheduled` condition is the
 * relay's to write, and so are events, which `kubectl describe` shows.
 *
 * @module
 */
import { speaksAt, spoken } from "./telling.ts";
import { marked } from "../words/mark.ts";
import { goesOnByItself } from "../words/what_helps.ts";
import type { Attended } from "./attended.ts";
import { type Advanced, inTurn } from "./effect.ts";
import { verdictOn } from "./gang_verdict.ts";
import type { GatedMember, Snapshot } from "./snapshot.ts";
import type { Why } from "./standing.ts";
import { times } from "./times.ts";

/** Autoscalers act on `Unschedulable`: only a gang that is whole and lacks nothing but room says so. */
const reasonsOfRoom: readonly string[] = [
  "InsufficientResources",
  "LeftOut",
  "BehindInQueue",
  "MemberUnschedulable",
  "TimedOut",
];

interface Said {
  readonly reason: "Unschedulable" | "SchedulingGated";
  readonly message: string;
}

/** What is due of what gated members say; times in ms since the epoch, Infinity: they say what is so. */
interface Due {
  readonly why: Why;
  /** Members whose condition says something else. */
  readonly unsaid: readonly string[];
  readonly conditionAt: number;
  /** Members of which no event says the reason. */
  readonly unaware: readonly string[];
  readonly eventAt: number;
}

/** When something is to be written about gated members, in ms since the epoch; Infinity: they say what is so. */
export function gatedDueAt(attended: Attended, snapshot: Snapshot): number {
  const due = duesOf(attended, snapshot);
  return Math.min(
    Infinity,
    ...due.map(({ conditionAt, eventAt }) => Math.min(conditionAt, eventAt)),
  );
}

/** Writes what is due: conditions, and an event about each member when the reason is another one. */
export function tellGated(attended: Attended, snapshot: Snapshot, now: number): Advanced {
  return inTurn(
    attended,
    duesOf(attended, snapshot).flatMap((due) => [
      (attended) => now < due.eventAt ? { attended, effects: [] } : writeEvents(attended, due, now),
      (attended) =>
        now < due.conditionAt ? { attended, effects: [] } : writeConditions(attended, due, now),
    ]),
  );
}

/** What is due of all; while their group is let in, of those of gangs that it starts without: the scheduler looks at the others. */
function duesOf(attended: Attended, snapshot: Snapshot): Due[] {
  const { standing, placement } = attended;
  if (standing.phase === "refused") {
    const { why, since } = standing;
    const gated = snapshot.gated();
    return gated.length === 0 ? [] : [dueOf(gated, { attended, why, since })];
  }
  if (standing.phase === "collecting" || !placement.choice?.without.size) return [];
  const gangs = Map.groupBy(snapshot.gated(), ({ gang }) => gang);
  return [...gangs].flatMap(([gang, members]) => {
    const why = verdictOn(attended, gang);
    if (why?.verdict !== "reject") return [];
    return [dueOf(members, { attended, why, since: standing.at })];
  });
}

function dueOf(
  gated: readonly GatedMember[],
  { attended, why, since }: { attended: Attended; why: Why; since: number },
): Due {
  const { conditionSaid, spoken } = attended;
  const soonest = since + times.conditionQuiet;
  const unsaid = unsaidOf(gated, why);
  const unaware = unawareOf(gated, { attended, why, unsaid });
  const wait = conditionSaid?.reason === why.reason ? times.conditionSame : times.conditionQuiet;
  const conditionAt = (conditionSaid?.at ?? -Infinity) + wait;
  return {
    why,
    unsaid,
    conditionAt: unsaid.length > 0 ? Math.max(soonest, conditionAt) : Infinity,
    unaware,
    eventAt: unaware.length > 0 ? Math.max(soonest, speaksAt(spoken, why.reason)) : Infinity,
  };
}

function writeConditions(attended: Attended, { why, unsaid }: Due, now: number): Advanced {
  return {
    attended: { ...attended, conditionSaid: { reason: why.reason, at: now } },
    effects: [{ do: "say", uids: unsaid, ...saying(why) }],
  };
}

function writeEvents(attended: Attended, { why, unaware }: Due, now: number): Advanced {
  const { reason, message } = why;
  let { saidReasons } = attended;
  for (const uid of unaware) saidReasons = saidReasons.with(uid, reason);
  const type = goesOnByItself(reason) ? "Normal" : "Warning";
  return {
    attended: { ...attended, saidReasons, spoken: spoken(attended.spoken, { reason, now }) },
    effects: [{ do: "tell", uids: unaware, type, reason, message, at: now }],
  };
}

/** Members of which no event says the reason; what is wrong with a declaration is said elsewhere, in more words. */
function unawareOf(
  gated: readonly GatedMember[],
  { attended, why, unsaid }: { attended: Attended; why: Why; unsaid: readonly string[] },
): string[] {
  if (why.reason === "InvalidGang") return [];
  const untold = new Set(unsaid);
  return gated.map(({ uid }) => uid).filter((uid) => {
    const known = attended.saidReasons.get(uid);
    // An earlier relay has said so.
    return known === undefined ? untold.has(uid) : known !== why.reason;
  });
}

function unsaidOf(gated: readonly GatedMember[], why: Why): string[] {
  const { reason, message } = saying(why);
  return gated.filter(({ says }) => says?.reason !== reason || says.message !== message)
    .map(({ uid }) => uid);
}

function saying({ reason, message }: Why): Said {
  return {
    reason: reasonsOfRoom.includes(reason) ? "Unschedulable" : "SchedulingGated",
    message: marked(message),
  };
}
