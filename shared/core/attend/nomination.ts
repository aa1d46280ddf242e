/**
 * Nominations: the scheduler tries the node first, and keeps its room from pods of no higher priority. It nominates pods for
 * which victims leave; the relay nominates members of a gang that was let in to their places. Nothing depends on that: `filter`
 * sends them there too.
 *
 * @module
 */
import { onlyPauses } from "./admission.ts";
import type { Attended } from "./attended.ts";
import { mayClear } from "./eviction.ts";
import type { Advanced } from "./effect.ts";
import type { Goal } from "../plan/plan.ts";
import { type Placement, sendOn } from "./placement.ts";
import type { NominatedMember, Snapshot } from "./snapshot.ts";
import { times } from "./times.ts";

/**
 * When nominations come to nothing, in ms since the epoch; Infinity: members are still to go there. They keep room that nobody
 * takes, or their members sleep: the scheduler may miss that a victim has left (kubernetes #141694), and takes it for a
 * departure if a nomination ends.
 */
export function nominationsEndAt(attended: Attended): number {
  const { asking, standing, fitsSince, clearance } = attended;
  if (clearance) return Infinity;
  if (standing.phase === "refused") {
    // An answer on its way may let it in.
    return asking || onlyPauses(attended) ? Infinity : standing.since + times.staleCycle;
  }
  return fitsSince === undefined ? Infinity : fitsSince + times.settled;
}

/** When nominations of its members are to be taken back, in ms since the epoch; Infinity: there are none. */
export function takesBackAt(attended: Attended, snapshot: Snapshot): number {
  return toTakeBack(attended, snapshot).at;
}

/** Nominations that are to be taken back, and when; where pods leave for it, those that would keep groups ahead from their nodes. */
function toTakeBack(
  attended: Attended,
  snapshot: Snapshot,
): { at: number; members: readonly NominatedMember[] } {
  const after = attended.clearance?.members.filter(({ isAfterOthers }) => isAfterOthers) ?? [];
  const at = after.length > 0 ? 0 : nominationsEndAt(attended);
  const nominated = at === Infinity ? [] : stillNominated(attended, snapshot);
  const isAfter = (member: NominatedMember) =>
    after.some(({ uid, node }) => uid === member.uid && node === member.node);
  const members = after.length > 0 ? nominated.filter(isAfter) : nominated;
  return { at: members.length > 0 ? at : Infinity, members };
}

/** Whether a member that was nominated has its place elsewhere. */
export function hasMoved(nominated: Attended["nominated"], { chosen }: Placement): boolean {
  return [...nominated].some(([uid, node]) => (chosen.get(uid)?.node ?? node) !== node);
}

/** Says where gated members, and those that were nominated elsewhere, are to go. */
export function nominate(attended: Attended, snapshot: Snapshot): Advanced {
  const { plan, standing, isToNominate } = attended;
  if (!isToNominate || !plan || standing.phase !== "let in") return { attended, effects: [] };
  let { placement, nominated } = attended;
  if (!placement.isPublished) {
    return { attended: { ...attended, isToNominate: false }, effects: [] };
  }
  // The scheduler keeps the room of whoever is nominated, also of one that others do not let go there.
  const gated = snapshot.gated().filter(({ isGatedByOthers }) => !isGatedByOthers);
  placement = sendOn(placement, gated);
  const uids = new Set([...gated.map(({ uid }) => uid), ...nominated.keys()]);
  const members = [...uids].flatMap((uid) => {
    const node = placement.chosen.get(uid)?.node;
    return node === undefined || node === nominated.get(uid) ? [] : [{ uid, node }];
  });
  for (const { uid, node } of members) nominated = nominated.with(uid, node);
  return {
    attended: { ...attended, placement, nominated, isToNominate: false },
    effects: members.length > 0 ? [{ do: "nominate", members }] : [],
  };
}

/** Members for which pods leave that are nominated to where others go first, or may be to where they are to go. */
export function misplaced(attended: Attended): Goal[] {
  const { clearance, nominated } = attended;
  return clearance?.members.filter(({ uid, node, isAfterOthers }) =>
    isAfterOthers ? nominated.get(uid) === node : nominated.get(uid) !== node && mayClear(attended)
  ) ?? [];
}

/** Says where members are to go for which pods leave. */
export function nominateCleared(attended: Attended): Advanced {
  let { nominated } = attended;
  const members = misplaced(attended).filter(({ isAfterOthers }) => !isAfterOthers);
  if (members.length === 0) return { attended, effects: [] };
  for (const { uid, node } of members) nominated = nominated.with(uid, node);
  return { attended: { ...attended, nominated }, effects: [{ do: "nominate", members }] };
}

/** Takes back what is due. */
export function takeBack(attended: Attended, snapshot: Snapshot, now: number): Advanced {
  const { at, members } = toTakeBack(attended, snapshot);
  if (now < at) return { attended, effects: [] };
  let { takenBack, nominated } = attended;
  for (const { uid, version } of members) {
    takenBack = takenBack.with(uid, version);
    nominated = nominated.without(uid);
  }
  return {
    attended: { ...attended, takenBack, nominated },
    effects: [{ do: "unnominate", uids: members.map(({ uid }) => uid) }],
  };
}

/**
 * Those of which the watch has not shown yet that their nomination was taken back are not asked for again; who is on the way
 * to its place stays nominated there, where places are published.
 */
function stillNominated(
  { takenBack, nominated, standing, placement }: Attended,
  snapshot: Snapshot,
): NominatedMember[] {
  const isOnTheWay = ({ uid, node }: NominatedMember) =>
    placement.isPublished && standing.phase === "let in" && nominated.get(uid) === node;
  return snapshot.nominated().filter((member) =>
    takenBack.get(member.uid) !== member.version && !isOnTheWay(member)
  );
}
