/**
 * A gang group that the relay attends to.
 *
 * @module
 */
import { type Attended, attendedSince, isJudged } from "../../shared/core/attend/attended.ts";
import { titleOf } from "../../shared/core/words/why_pending.ts";
import type { Gang } from "../cluster/gang.ts";

/** Its gangs, and what is known of it between events. */
export class GangGroup {
  readonly id: string;
  readonly gangs: Gang[] = [];
  attended: Attended;
  /** Wakes it at the next time at which something is due. */
  timer: ReturnType<typeof setTimeout> | undefined;
  #judged: PromiseWithResolvers<void> | undefined;

  constructor(id: string) {
    this.id = id;
    this.attended = attendedSince(id, Date.now());
  }

  /** Resolves when its verdict is of the facts as they are now, or the time is over. */
  async whenJudged(withinMs: number): Promise<void> {
    if (isJudged(this.attended)) return;
    const { promise, resolve } = this.#judged ??= Promise.withResolvers<void>();
    const timer = setTimeout(resolve, withinMs);
    await promise;
    clearTimeout(timer);
    if (this.#judged?.promise === promise) this.#judged = undefined;
  }

  /** What is known of it is another than before. */
  advanced(attended: Attended): void {
    this.attended = attended;
    if (isJudged(attended)) this.#judged?.resolve();
  }

  /** Whether nothing is left of its gangs. */
  get isGone(): boolean {
    return this.gangs.every((gang) => gang.isGone);
  }

  /** Whether none of its pods is Muster's to place. */
  get isForeign(): boolean {
    let hasMembers = false;
    for (const { members } of this.gangs) {
      for (const { foreign } of members.values()) {
        if (!foreign) return false;
        hasMembers = true;
      }
    }
    return hasMembers;
  }

  /** `gang ns/a`, or `gang group ns/a, ns/b`. */
  get title(): string {
    return titleOf(this.gangs.length === 1 ? [this.gangs[0]!.id] : this.id.split(","));
  }
}
