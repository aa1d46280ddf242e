/**
 * Members beyond what their gang needs, while another gang of their group lacks some: their room may be that one's.
 *
 * @module
 */
import type { Attended } from "./attended.ts";
import type { Snapshot } from "./snapshot.ts";
import { times } from "./times.ts";

/** The reason of a refusal for being surplus. */
export const reasonOfSurplus = "Surplus";

/** Another gang that lacks members while the member's own needs none beyond those that are held or coming without it. */
export function waitsFor(
  { standing, coming }: Attended,
  member: { uid: string; gang: string; placed: Snapshot["placed"] },
  now: number,
): string | undefined {
  if (standing.phase !== "let in" || standing.quotas.size < 2) return undefined;
  const { quotas } = standing;
  const lacks = (gang: string, comes: (uid: string) => boolean) =>
    member.placed(gang, comes) < (quotas.get(gang) ?? 0);
  const comes = (uid: string) => uid !== member.uid && (coming.get(uid) ?? 0) > now;
  if (lacks(member.gang, comes)) return undefined;
  return [...quotas.keys()].find((gang) => gang !== member.gang && lacks(gang, () => false));
}

/** `filter` let a member through: its bind call is next. */
export function memberComes(attended: Attended, uid: string, now: number): Attended {
  let { coming } = attended;
  for (const [other, until] of coming) if (until <= now) coming = coming.without(other);
  return { ...attended, coming: coming.with(uid, now + times.comes) };
}

/** When a member that was let through is not waited for any longer while others are surplus, in ms since the epoch. */
export function surplusDueAt({ refused, coming }: Attended): number {
  const hasSurplus = [...refused.values()].some(({ reason }) => reason === reasonOfSurplus);
  return hasSurplus ? Math.min(Infinity, ...coming.values()) : Infinity;
}
