/**
 * Whether functions elsewhere have ever answered: a wrong address or credential is told before a gang needs them.
 *
 * @module
 */
import { Outage } from "../shared/client/outage.ts";
import { pause } from "../shared/client/pause.ts";
import { whyOf } from "../shared/client/why_of.ts";
import type { log } from "../shared/http/log.ts";

/** The functions are left alone after each question without an answer, in ms: after the first, and at most. */
const pauses = { first: 500, most: 30_000 };

/** Functions that are asked until they have answered once. */
export class FunctionsReached {
  readonly #at: string;
  #why: string | undefined;

  constructor(url: string) {
    this.#at = `the policy functions at "${url}"`;
    this.#why = `${this.#at} have not answered yet`;
  }

  /** Why the relay is not ready; undefined: they have answered. */
  get why(): string | undefined {
    return this.#why;
  }

  /** Asks what needs the relay's credential and changes nothing; resolves when that is answered. */
  async by(ask: () => Promise<unknown>, options: { log: typeof log }): Promise<void> {
    const outage = new Outage();
    for (let ms = pauses.first; this.#why !== undefined; ms = Math.min(2 * ms, pauses.most)) {
      try {
        await ask();
        this.#why = undefined;
      } catch (error) {
        this.#why = `${this.#at} have not answered yet: ${whyOf(error as Error)}`;
        if (outage.noted()) options.log("warn", `Not ready: ${this.#why}`);
        await pause(ms);
      }
    }
  }
}
