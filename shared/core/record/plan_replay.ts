/**
 * Makes the plans of a recording again.
 *
 * @module
 */
import type { Decisions } from "../attend/decisions.ts";
import { type PlanEntry, planInShort } from "./plan_text.ts";
import { type Line, thrown } from "./recording.ts";
import { WorldReader } from "./world_reader.ts";

/** A plan of one group that is another today. */
export interface OtherPlan {
  readonly at: number;
  readonly group: string;
  readonly then: string;
  readonly now: string;
}

/** All groups, planned again. */
export interface Replanned {
  readonly others: readonly OtherPlan[];
  /** What is asked now and was not then. */
  readonly unheard: readonly string[];
}

/** Plans again, line after line; from a gap on nothing, until the recording says anew what there is. */
export class PlanReplay {
  readonly #plan: Decisions["plan"];
  #reader: WorldReader | undefined;
  #then = new Map<string, string>();

  constructor(plan: Decisions["plan"]) {
    this.#plan = plan;
  }

  /** Undefined: the line is of no plan, or of one whose world is not known. */
  next(line: Line): Replanned | undefined {
    if ("recording" in line || "missed" in line) this.#reader = undefined;
    if (!("world" in line)) return undefined;
    if (line.world.isNew) {
      this.#reader = new WorldReader();
      this.#then = new Map();
    }
    return this.#reader && this.#again(line, this.#reader);
  }

  #again({ at, world: text, plans, isOverbooked }: PlanEntry, reader: WorldReader): Replanned {
    const unheard = new Set<string>();
    for (const [group, plan] of plans) this.#then.set(group, plan);
    const now = new Map<string, string>();
    const world = reader.read(text, (what) => unheard.add(what));
    const ids = world.waiting.map(({ id }) => id);
    try {
      const planned = this.#plan(world, at);
      reader.planned(planned.byGroup);
      for (const [id, plan] of planned.byGroup) now.set(id, planInShort(plan));
      now.set(anyGroup, String(planned.isOverbooked));
    } catch (error) {
      for (const id of ids) now.set(id, thrown(error));
    }
    this.#then = new Map(ids.map((id) => [id, this.#then.get(id) ?? ""]));
    const then = [...this.#then, [anyGroup, String(isOverbooked)] as const];
    const others = then.flatMap(([group, plan]) =>
      now.get(group) === plan ? [] : [{ at, group, then: plan, now: now.get(group) ?? "" }]
    );
    return { others, unheard: [...unheard] };
  }
}

/** Stands for what is said of all groups together: whether some will queue. */
const anyGroup = "all groups, overbooked";
