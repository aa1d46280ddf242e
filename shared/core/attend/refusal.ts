/**
 * Members that `filter` refuses: what they are told, and when they are woken because it is not so any more.
 *
 * @module
 */
import { marked } from "../words/mark.ts";
import { whyPending } from "../words/why_pending.ts";
import { type Attended, isInDoubt, isLetIn, type Refusal } from "./attended.ts";
import type { Why } from "./standing.ts";
import type { Advanced, Effect, EffectOf } from "./effect.ts";
import type { EventOf } from "./event.ts";
import { whyGangLeftOut } from "./gang_verdict.ts";
import { sendOn, stillPlanned, thereOn } from "./placement.ts";
import { forget, offeredAgain } from "./refused_nodes.ts";
import { reasonOfEvictions, reasonOfSurplus, waitsFor } from "./surplus.ts";
import type { Snapshot } from "./snapshot.ts";
import { times } from "./times.ts";

const unplacedReasons = [
  "NoPlace",
  "LeftOut",
  "Replanned",
  "NotOffered",
  "PlannedElsewhere",
] as const;

/** A reason of refusals for which a member waits for a place. */
export type UnplacedReason = typeof unplacedReasons[number];

/** Whether a member that is refused for a reason waits for a place. */
export function isUnplaced(reason: string): reason is UnplacedReason {
  return unplacedReasons.some((unplaced) => unplaced === reason);
}

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
  if (other === undefined) return undefined;
  return whyGangLeftOut(attended, gang) ?? whyPending({ reason: "Surplus", gang, other });
}

/** `filter` refused a member, whose group is planned anew where the scheduler takes it on nodes that it did not. */
export function memberRefused(
  attended: Attended,
  { uid, refusal, takenOn = [] }: EventOf<"refused">,
): Attended {
  const after = {
    ...attended,
    refused: attended.refused.with(uid, refusal),
    coming: attended.coming.without(uid),
  };
  return believing(after, { uid, kind: refusal.kind, nodes: takenOn });
}

/** What the scheduler takes a kind on is not refused any more: the group is planned anew. */
export function believing(
  attended: Attended,
  { uid, kind, nodes, alikeOn = () => new Map() }: {
    uid: string;
    kind: string | undefined;
    nodes: readonly string[];
    alikeOn?: () => ReadonlyMap<string, number>;
  },
): Attended {
  const { refusedNodes: known } = attended;
  if (kind === undefined || !known.has(kind)) return attended;
  const there = thereOn(attended, { uid, kind, alikeOn: alikeOn() });
  const again = offeredAgain(known, { uid, kind, nodes, thereOn: there });
  if (again.length === 0) return attended;
  const refusedNodes = forget(known, { kind, nodes: again });
  return { ...attended, refusedNodes, plan: undefined };
}

/** Wakes refused members that may be tried, whoever refused them. */
export function wakeUp(attended: Attended, uids: readonly string[]): Advanced {
  const { attended: after, effects } = poke(attended, uids);
  const woken = effects.map((effect): Effect =>
    attended.refused.get(effect.uid)?.isByPreempt ? { ...effect, isRoused: true } : effect
  );
  return { attended: after, effects: woken };
}

/**
 * Wakes members that `filter` refused. Those of a group that is let in are told where to go: to their places, where these are
 * published; and where others left for them, because the scheduler takes back the nomination of whom it has tried meanwhile, if
 * their plan has places there still.
 */
function poke(
  attended: Attended,
  uids: readonly string[],
): { attended: Attended; effects: EffectOf<"poke">[] } {
  const effects: EffectOf<"poke">[] = [];
  if (uids.length === 0) return { attended, effects };
  let { refused, placement, nominated } = attended;
  const isIn = isLetIn(attended);
  const isPublished = placement.isPublished && isIn;
  if (isPublished) {
    const members = uids.flatMap((uid) => {
      const refusal = refused.get(uid);
      return refusal?.kind === undefined ? [] : [{ uid, kind: refusal.kind, gang: refusal.gang }];
    });
    placement = sendOn(placement, members);
  }
  const cleared = isPublished ? nominated : stillPlanned(nominated, placement);
  for (const uid of uids) {
    const refusal = refused.get(uid);
    refused = refused.without(uid);
    if (!refusal) continue;
    const { pod } = refusal;
    const place = isPublished ? placement.chosen.get(uid)?.node : cleared.get(uid);
    const node = isIn ? place : undefined;
    effects.push({ do: "poke", pod, uid, ...(node !== undefined && { node }) });
    if (node !== undefined) nominated = nominated.with(uid, node);
  }
  return { attended: { ...attended, refused, placement, nominated }, effects };
}

/** Wakes members whom the scheduler was told something that is not so any more; who does not hear it is still refused. */
export function retell(attended: Attended, snapshot: Snapshot, now: number): Advanced {
  const due = retellTimes(attended, snapshot).filter(({ at }) => at <= now);
  const poked = poke(attended, due.map(({ uid }) => uid));
  let { refused } = poked.attended;
  for (const { uid, why: { reason, message } } of due) {
    const refusal = attended.refused.get(uid)!;
    if (!refusal.isByPreempt) continue;
    refused = refused.with(uid, { ...refusal, reason, sentence: marked(message), at: now });
  }
  return { ...poked, attended: { ...poked.attended, refused } };
}

/** When the next member is to be woken for that, in ms since the epoch; Infinity: none is. */
export function retellAt(attended: Attended, snapshot: Snapshot): number {
  let next = Infinity;
  for (const { at } of retellTimes(attended, snapshot)) next = Math.min(next, at);
  return next;
}

function retellTimes(
  attended: Attended,
  { pending }: Snapshot,
): readonly { readonly uid: string; readonly why: Why; readonly at: number }[] {
  const { standing, told, refused } = attended;
  const due: { uid: string; why: Why; at: number }[] = [];
  // Nobody is left out of what was let in as a whole, however many members are still to be tried.
  if (standing.phase === "let in" && !attended.placement.choice) return due;
  // The next verdict wakes all.
  if (isInDoubt(attended)) return due;
  const sameReason = times.retellSame + times.retellSamePerMember * pending;
  for (const [uid, refusal] of refused) {
    const why = standing.phase === "refused"
      ? standing.why
      : whyGangLeftOut(attended, refusal.gang);
    if (!why || says(refusal.sentence, why.message)) continue;
    // In an outage nothing has been told; one that was refused since is not woken again at once, whatever it heard.
    const isSame = refusal.reason === why.reason;
    const since = Math.max(refusal.at, (told ?? refusal).at);
    const at = isSame ? refusal.at + sameReason : since + times.retell;
    due.push({ uid, why, at });
  }
  return due;
}

/** Whether a sentence is that message, and not one that goes on; the scheduler repeats it among reasons against other nodes. */
function says(sentence: string, message: string): boolean {
  const at = sentence.lastIndexOf(message);
  return at >= 0 && /^(?:, \d|\. |\.?$)/.test(sentence.slice(at + message.length));
}

/**
 * Wakes members of a group that is let in which were surplus and are not any more, or were refused before it was seen that they
 * are of this group. Those that wait for a place wait for a plan.
 */
export function wakeAllowed(attended: Attended, snapshot: Snapshot, now: number): Advanced {
  if (!isLetIn(attended)) return { attended, effects: [] };
  const refused = [...attended.refused].filter(([, { reason }]) =>
    !isUnplaced(reason) && reason !== reasonOfEvictions
  );
  const byGang = Map.groupBy(refused, ([, { gang }]) => gang);
  const woken = [...byGang].flatMap(([gang, members]) => {
    const [[uid]] = members as [[string, Refusal]];
    const isSurplus = waitsFor(attended, { uid, gang, placed: snapshot.placed }, now) !== undefined;
    const isAllowed = ({ reason }: Refusal) => !isSurplus || reason !== reasonOfSurplus;
    return members.flatMap(([uid, refusal]) => isAllowed(refusal) ? uid : []);
  });
  return wakeUp(attended, woken);
}
