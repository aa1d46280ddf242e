/**
 * Nominations: the scheduler keeps room from pods of no higher priority for a pod for which victims leave.
 *
 * @module
 */
import { onlyPauses } from "./admission.ts";
import type { Attended } from "./attended.ts";
import type { Advanced } from "./effect.ts";
import type { NominatedMember, Snapshot } from "./snapshot.ts";
import { times } from "./times.ts";

/**
 * When nominations come to nothing, in ms since the epoch; Infinity: members are still to go there. They keep room that nobody
 * takes, or their members sleep: the scheduler may miss that a victim has left (kubernetes #141694), and takes it for a
 * departure if a nomination ends.
 */
export function nominationsEndAt(attended: Attended): number {
  const { standing, fitsSince } = attended;
  if (standing.phase === "refused") {
    return onlyPauses(attended) ? Infinity : standing.since + times.staleCycle;
  }
  return fitsSince === undefined ? Infinity : fitsSince + times.settled;
}

/** When nominations of its members are to be taken back, in ms since the epoch; Infinity: there are none. */
export function takesBackAt(attended: Attended, snapshot: Snapshot): number {
  const at = nominationsEndAt(attended);
  return at === Infinity || stillNominated(attended, snapshot).length === 0 ? Infinity : at;
}

/** Takes back what is due. */
export function takeBack(attended: Attended, snapshot: Snapshot, now: number): Advanced {
  if (now < takesBackAt(attended, snapshot)) return { attended, effects: [] };
  let { takenBack } = attended;
  const members = stillNominated(attended, snapshot);
  for (const { uid, version } of members) takenBack = takenBack.with(uid, version);
  return {
    attended: { ...attended, takenBack },
    effects: [{ do: "unnominate", uids: members.map(({ uid }) => uid) }],
  };
}

/** Those of which the watch has not shown yet that their nomination was taken back are not asked for again. */
function stillNominated({ takenBack }: Attended, snapshot: Snapshot): NominatedMember[] {
  return snapshot.nominated().filter(({ uid, version }) => takenBack.get(uid) !== version);
}
