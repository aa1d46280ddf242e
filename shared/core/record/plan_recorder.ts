/**
 * The plans, recorded as they are made.
 *
 * @module
 */
import type { Decisions } from "../attend/decisions.ts";
import { HeardWorld } from "./heard_world.ts";
import { type PlanEntry, planInShort } from "./plan_text.ts";
import type { Tape } from "./tape.ts";
import { WorldWriter } from "./world_writer.ts";

/** Records plans; `hide` gives a line's content without names. */
export class PlanRecorder {
  readonly #plan: Decisions["plan"];
  readonly #tape: Tape;
  readonly #hide: (content: unknown) => unknown;
  #writer: WorldWriter | undefined;
  #part: number | undefined;
  #said = new Map<string, string>();

  constructor(
    plan: Decisions["plan"],
    { tape, hide }: { tape: Tape; hide: (content: unknown) => unknown },
  ) {
    this.#plan = plan;
    this.#tape = tape;
    this.#hide = hide;
  }

  readonly plan: Decisions["plan"] = (world, now) => {
    const heard = new HeardWorld(world);
    const plans = this.#plan(heard.world, now);
    try {
      if (this.#tape.isOpen) this.#write(heard, { plans, now });
      else this.#missed();
    } catch {
      this.#missed();
    }
    return plans;
  };

  #missed(): void {
    this.#writer = undefined;
    this.#tape.missed();
  }

  #write(
    heard: HeardWorld,
    { plans, now }: { plans: ReturnType<Decisions["plan"]>; now: number },
  ): void {
    if (this.#part !== this.#tape.part || !this.#writer) {
      this.#part = this.#tape.part;
      this.#writer = new WorldWriter();
      this.#said = new Map();
    }
    const world = this.#writer.write(heard);
    this.#writer.planned(plans.byGroup);
    const short = new Map([...plans.byGroup].map(([id, plan]) => [id, planInShort(plan)]));
    const changed = [...short].filter(([id, plan]) => this.#said.get(id) !== plan);
    this.#said = short;
    const { isOverbooked } = plans;
    const entry: PlanEntry = { at: now, world, plans: changed, isOverbooked };
    this.#tape.write(JSON.stringify(this.#hide(entry)));
  }
}
