/**
 * Whether the functions still have the index of gangs that they had.
 *
 * @module
 */
import type { Stages } from "../../functions/stages.ts";
import { Alarm } from "./alarm.ts";

/** It is asked for so often, in ms. */
const everyMs = 30_000;

/** Asks for the name of the index again and again. Functions of an earlier version give it none. */
export class IndexWatch {
  readonly #stages: Pick<Stages, "queueSort">;
  readonly #lost: () => void;
  readonly #again = new Alarm(() => void this.#ask());
  #name: string | undefined;

  /** `lost` is told that it is another index, which knows of no gang. */
  constructor(stages: Pick<Stages, "queueSort">, lost: () => void) {
    this.#stages = stages;
    this.#lost = lost;
  }

  /** Only who leads tells of gangs. */
  lead(isLeading: boolean): void {
    if (isLeading) void this.#ask();
    else this.stop();
  }

  /** Asks no more. */
  stop(): void {
    this.#again.stop();
  }

  async #ask(): Promise<void> {
    this.#again.set(Date.now() + everyMs);
    const known = this.#name;
    try {
      const { index } = await this.#stages.queueSort({ units: [] }, crypto.randomUUID());
      this.#name = index ?? known;
    } catch {
      // Whoever asks about a gang says that the functions do not answer.
    }
    if (known !== undefined && this.#name !== known) this.#lost();
  }
}
