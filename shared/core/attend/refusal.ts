/**
 * Members that `filter` refuses: what they are told, and when they are woken because it is not so any more.
 *
 * @module
 */
import { whyPending } from "../words/why_pending.ts";
import { type Attended, isInDoubt, type Refusal } from "./attended.ts";
import type { Advanced, Effect } from "./effect.ts";
import { reasonOfSurplus, waitsFor } from "./surplus.ts";
import type { Snapshot } from "./snapshot.ts";
import { times } from "./times.ts";

/** A member that asks to be tried, and how many members of a gang are bound, held or about to be. */
export interface Applicant {
  readonly uid: string;
  /** `namespace/name`. */
  readonly gang: string;
  readonly placed: Snapshot["placed"];
}

/** Why the scheduler may not try a member now; undefined: it may. A group never heard of has just been seen. */
export function refusalOf(
  attended: Attended | undefined,
  applicant: Applicant,
  now: number,
): { reason: string; message: string } | undefined {
  const { gang } = applicant;
  if (!attended || attended.standing.phase === "collecting") {
    return whyPending({ reason: "JustSeen", gang });
  }
  if (attended.standing.phase === "refused") return attended.standing.why;
  if (isInDoubt(attended)) return whyPending({ reason: "JustLost", gang });
  const other = waitsFor(attended, applicant, now);
  return other === undefined ? undefined : whyPending({ reason: "Surplus", gang, other });
}

/** `filter` refused a member. */
export function memberRefused(attended: Attended, uid: string, refusal: Refusal): Attended {
  return {
    ...attended,
    refused: attended.refused.with(uid, refusal),
    coming: attended.coming.without(uid),
  };
}

/** Wakes refused members. */
export function poke(attended: Attended, uids: readonly string[]): Advanced {
  const effects: Effect[] = [];
  let { refused } = attended;
  for (const uid of uids) {
    const refusal = refused.get(uid);
    if (refusal) effects.push({ do: "poke", pod: refusal.pod });
    refused = refused.without(uid);
  }
  return { attended: { ...attended, refused }, effects };
}

/** Wakes members whom the scheduler was told something that is not so any more. */
export function retell(attended: Attended, now: number): Advanced {
  const due = [...retellTimes(attended)].filter(([, at]) => at <= now);
  return poke(attended, due.map(([uid]) => uid));
}

/** When the next member is to be woken for that, in ms since the epoch; Infinity: none is. */
export function retellAt(attended: Attended): number {
  return Math.min(Infinity, ...retellTimes(attended).values());
}

function retellTimes({ standing, told, refused }: Attended): Map<string, number> {
  const due = new Map<string, number>();
  if (standing.phase !== "refused") return due;
  const { reason, message } = standing.why;
  const sameReason = times.retellSame + times.retellSamePerMember * refused.size;
  for (const [uid, refusal] of refused) {
    if (refusal.sentence.includes(message)) continue;
    // In an outage nothing has been told.
    const isSame = refusal.reason === reason;
    due.set(uid, isSame ? refusal.at + sameReason : (told ?? refusal).at + times.retell);
  }
  return due;
}

/** Wakes members that were surplus and are not any more. */
export function wakeSurplus(attended: Attended, snapshot: Snapshot, now: number): Advanced {
  if (attended.standing.phase !== "let in" || isInDoubt(attended)) return { attended, effects: [] };
  const surplus = [...attended.refused].filter(([, { reason }]) => reason === reasonOfSurplus);
  const byGang = Map.groupBy(surplus, ([, { gang }]) => gang);
  const woken = [...byGang].flatMap(([gang, members]) => {
    const [[uid]] = members as [[string, Refusal]];
    const isStill = waitsFor(attended, { uid, gang, placed: snapshot.placed }, now) !== undefined;
    return isStill ? [] : members.map(([uid]) => uid);
  });
  return poke(attended, woken);
}
