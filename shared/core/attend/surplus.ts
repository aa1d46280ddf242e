/**
 * Members beyond what their gang needs, while another gang of their group lacks some: their room may be that one's.
 *
 * @module
 */
import type { Attended, Evicting } from "./attended.ts";
import type { Snapshot } from "./snapshot.ts";
import { times } from "./times.ts";

/** The reason of a refusal for being surplus. */
export const reasonOfSurplus = "Surplus";

/** The reason of a refusal to evict others for a member alone. */
export const reasonOfEvictions = "GroupEvicts";

/**
 * Another gang of the group that a member waits for: the group needs that gang, and it lacks members, while the member's own gang
 * has all that it needs held or coming without this one. Undefined: there is none.
 */
export function waitsFor(
  { standing, coming, placement }: Attended,
  member: { uid: string; gang: string; placed: Snapshot["placed"] },
  now: number,
): string | undefined {
  if (standing.phase !== "let in" || standing.quotas.size < 2) return undefined;
  const { quotas } = standing;
  const lacks = (gang: string, comes: (uid: string) => boolean) =>
    member.placed(gang, comes) < (quotas.get(gang) ?? 0);
  const comes = (uid: string) => uid !== member.uid && (coming.get(uid) ?? 0) > now;
  const { choice } = placement;
  const isCounted = (gang: string) => !choice || choice.counted.has(gang);
  if (isCounted(member.gang) && lacks(member.gang, comes)) return undefined;
  return [...quotas.keys()].find((gang) =>
    gang !== member.gang && isCounted(gang) && lacks(gang, () => false)
  );
}

/** Whether its group has what it needs without a member, by those that are held, on their way to be, or nominated. */
export function isBeyondNeed(attended: Attended, uid: string, now: number): boolean {
  return beyondNeed(attended, [uid], now).length > 0;
}

/** Those of its members for each of which {@linkcode isBeyondNeed} holds. */
export function beyondNeed(
  { plan, coming, nominated }: Attended,
  uids: readonly string[],
  now: number,
): readonly string[] {
  if (!plan || uids.length === 0) return [];
  const expected = new Set(nominated.keys());
  for (const [uid, until] of coming) if (until > now) expected.add(uid);
  return uids.filter((uid) => plan.fit.of <= expected.size - (expected.has(uid) ? 1 : 0));
}

/**
 * Whether a member may evict others for itself on a node: the group's own evictions are for what it needs. So only a member may
 * that the group does not need, or one for which there is room on the node beside the siblings on their way or nominated there:
 * then the scheduler sees another reason against the node. Of room that has just come it may not have heard.
 */
export function mayEvict(
  attended: Attended,
  { uid, on }: { uid: string; on: Evicting },
  now: number,
): boolean {
  return isBeyondNeed(attended, uid, now) ||
    now >= evictsAt(attended, { uid, on }, expectedIn(attended, now));
}

/** Members that a node may have to have room for: those on their way, and of others those that are nominated to it. */
export interface Expected {
  readonly coming: ReadonlySet<string>;
  /** By node. */
  readonly nominated: ReadonlyMap<string, ReadonlySet<string>>;
}

/** Counted once for all members and nodes. */
export function expectedIn({ coming, nominated }: Attended, now: number): Expected {
  const comes = new Set([...coming].flatMap(([uid, until]) => until > now ? [uid] : []));
  const nominatedTo = new Map<string, Set<string>>();
  for (const [uid, node] of nominated) {
    if (comes.has(uid)) continue;
    const others = nominatedTo.get(node) ?? new Set();
    nominatedTo.set(node, others.add(uid));
  }
  return { coming: comes, nominated: nominatedTo };
}

/** When it may because it has room there, in ms since the epoch; Infinity: it has none. */
export function evictsAt(
  { plan }: Attended,
  { uid, on: { node, fits, changedAt } }: { uid: string; on: Evicting },
  { coming, nominated }: Expected,
): number {
  const there = nominated.get(node);
  const isCounted = coming.has(uid) || there?.has(uid) === true;
  const siblings = coming.size + (there?.size ?? 0) - (isCounted ? 1 : 0);
  return plan?.taken !== undefined && fits > siblings ? changedAt + times.heard : Infinity;
}

/** `filter` let a member through: its bind call is next. */
export function memberComes(attended: Attended, uid: string, now: number): Attended {
  let { coming } = attended;
  for (const [other, until] of coming) if (until <= now) coming = coming.without(other);
  return { ...attended, coming: coming.with(uid, now + times.comes) };
}

/** When the next member that was let through is not waited for any longer while others are surplus, in ms since the epoch. */
export function surplusDueAt(attended: Attended, now: number): number {
  const { refused, coming } = attended;
  if (coming.size === 0) return Infinity;
  const hasSurplus = [...refused.values()].some(({ reason }) => reason === reasonOfSurplus);
  return hasSurplus ? nextLateAt(attended, now) : Infinity;
}

/** When the next member that was let through is late, in ms since the epoch; Infinity: none is awaited. */
export function nextLateAt({ coming }: Attended, now: number): number {
  return Math.min(Infinity, ...[...coming.values()].filter((until) => until > now));
}
