/**
 * What plans are made of, and what of it is asked for.
 *
 * @module
 */
import type { Claim, PlannedGang } from "../plan/demand.ts";
import type { Leaving, Running } from "../plan/running.ts";
import type { Ending, Waiting, World } from "../plan/world.ts";
import type { Room } from "../room/fit.ts";

/** A world that notes what it is asked. */
export class HeardWorld {
  readonly world: World;
  readonly gangs = new Map<string, readonly PlannedGang[]>();
  readonly nominated = new Map<string, Map<string, string | undefined>>();
  readonly running = new Map<number, Running>();
  capacity: Room | undefined;
  below: { limit: number; claims: readonly Claim[] } | undefined;
  leaving: readonly Leaving[] | undefined;
  ending: readonly Ending[] | undefined;

  constructor(world: World) {
    const { evictions, ending } = world;
    this.world = {
      ...world,
      capacity: () => this.capacity ??= world.capacity(),
      takenBelow: (limit) => {
        if (limit === -Infinity) return [];
        const claims = [...world.takenBelow(limit)];
        if (!this.below || this.below.limit < limit) this.below = { limit, claims };
        return claims;
      },
      ...(evictions && {
        evictions: {
          running: (priority) => {
            const running = this.running.get(priority) ?? evictions.running(priority);
            this.running.set(priority, running);
            return running;
          },
          leaving: () => this.leaving ??= evictions.leaving(),
        },
      }),
      ...(ending && { ending: () => this.ending ??= ending() }),
      waiting: world.waiting.map((group) => this.#heard(group)),
    };
  }

  #heard(group: Waiting): Waiting {
    const { id, nominated } = group;
    const gangs = () => {
      const heard = this.gangs.get(id) ?? group.gangs();
      this.gangs.set(id, heard);
      return heard;
    };
    if (!nominated) return { ...group, gangs };
    const answers = new Map<string, string | undefined>();
    this.nominated.set(id, answers);
    const get = (uid: string) => {
      const node = nominated.get(uid);
      answers.set(uid, node);
      return node;
    };
    return { ...group, gangs, nominated: { get } };
  }
}
