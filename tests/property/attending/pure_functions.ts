/**
 * The functions and their store, as far as calls to them take time or get no answer.
 *
 * @module
 */
import type { Question } from "../../../shared/core/attend/question.ts";
import type { Settings } from "../../../shared/core/gang/settings.ts";
import { type StageEvent, step } from "../../../shared/core/stage/step.ts";
import type { GangGroup } from "./pure_facts.ts";
import type { Timeline } from "./timeline.ts";

type Outcome = ReturnType<typeof step>["outcome"];

/** Answers by `step`. */
export class PureFunctions {
  /** They do not answer until then. */
  outageUntil = 0;
  /** So much longer calls of them take at most, each way, in ms. */
  slownessMs = 0;
  readonly #timeline: Timeline;
  readonly #settings: Settings;
  readonly #chance: () => number;

  constructor(
    { timeline, settings, chance }: {
      timeline: Timeline;
      settings: Settings;
      chance: () => number;
    },
  ) {
    this.#timeline = timeline;
    this.#settings = settings;
    this.#chance = chance;
  }

  /** Undefined: no answer. */
  ask(
    { group, question }: { group: GangGroup; question: Question },
    answered: (outcome: Outcome | undefined) => void,
  ): void {
    this.#travel(() => {
      if (this.#timeline.now < this.outageUntil) return this.#travel(() => answered(undefined));
      const { stage, request } = question;
      const event = { ...request, stage, group: request, settings: this.#settings } as StageEvent;
      const { state, outcome } = step(group.stored, event, this.#timeline.now);
      group.stored = state;
      this.#travel(() => answered(outcome));
    });
  }

  #travel(arrive: () => void): void {
    this.#timeline.after(1 + Math.floor(this.#chance() * (20 + this.slownessMs)), arrive);
  }
}
