/**
 * Members beyond what their gang needs, while another gang of their group lacks some: their room may be that one's.
 *
 * @module
 */
import { gangId, type Group } from "../shared/core/facts.ts";
import type { Gang } from "./gang.ts";
import type { Holds } from "./holds.ts";

/** A member that `filter` let through is held within this time, in ms, or does not count any more. */
const comesWithinMs = 10_000;

/** The reason of a refusal for being surplus. */
export const surplusReason = "Surplus";

/** What the gangs of a group need, and who is on the way to be held for them. */
export class Quotas {
  /** Members that are bound or held when a gang needs no more, by gang. */
  #quotas = new Map<string, number>();
  /** Members that `filter` let through, and until when they count. */
  readonly #coming = new Map<string, number>();

  /** Policy said of these facts how many more members each gang needs. */
  set({ gangs }: Group, needs: Readonly<Record<string, number>>): void {
    this.#quotas = new Map(gangs.map(({ gang, held, census }) => {
      const id = gangId(gang);
      return [id, held.length + census.bound + (needs[id] ?? 0)];
    }));
  }

  /** `filter` let a member through. */
  letThrough(uid: string): void {
    this.#coming.set(uid, Date.now() + comesWithinMs);
  }

  /** It is held or refused. */
  arrived(uid: string): void {
    this.#coming.delete(uid);
  }

  /** Another gang that lacks members while this one needs none beyond those that are held or coming without this member. */
  waitsFor(
    member: { uid: string; gang: string | undefined },
    { gangs, holds }: { gangs: readonly Gang[]; holds: Holds },
  ): string | undefined {
    if (gangs.length < 2) return undefined;
    const own = gangs.find(({ id }) => id === member.gang);
    const lacks = (gang: Gang, isComing: (uid: string) => boolean) =>
      gang.placed(holds, isComing) < (this.#quotas.get(gang.id) ?? 0);
    const now = Date.now();
    for (const [uid, until] of this.#coming) if (until <= now) this.#coming.delete(uid);
    const comes = (uid: string) => uid !== member.uid && this.#coming.has(uid);
    if (!own || lacks(own, comes)) return undefined;
    return gangs.find((gang) => gang !== own && lacks(gang, () => false))?.id;
  }

  /** When a member that was let through is not waited for any longer, in ms since the epoch; Infinity: none is. */
  get dueAt(): number {
    return Math.min(Infinity, ...this.#coming.values());
  }
}
