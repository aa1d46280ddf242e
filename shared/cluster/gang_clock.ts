/**
 * How long a gang takes from being complete to being bound.
 *
 * @module
 */
import type { Snapshot } from "../core/attend/snapshot.ts";
import type { GangFacts } from "../core/gang/facts.ts";
import type { Gang } from "./gang.ts";
import type { GangGroup } from "./gang_group.ts";

/** Looks at gangs as their facts change. */
export class GangClock {
  /** When enough members were there that had no node yet, in ms since the epoch; Infinity: they are bound. */
  readonly #completeSince = new WeakMap<Gang, number>();

  /** The times in ms that those gangs took that are bound now and were not before; `now` is in ms since the epoch. */
  look({ gangs }: GangGroup, { group }: Snapshot, now: number): number[] {
    return gangs.flatMap((gang, index) => this.#look(gang, group.gangs[index]!, now) ?? []);
  }

  #look(gang: Gang, facts: GangFacts, now: number): number | undefined {
    const { gang: { minMember }, census, held } = facts;
    const bound = census.bound + census.succeeded;
    const since = this.#completeSince.get(gang);
    if (bound >= minMember) {
      this.#completeSince.set(gang, Infinity);
      return since === undefined || since === Infinity ? undefined : now - since;
    }
    if (bound + census.pending + held.length < minMember) this.#completeSince.delete(gang);
    else if (since === undefined || since === Infinity) this.#completeSince.set(gang, now);
    return undefined;
  }
}
