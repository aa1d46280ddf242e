/**
 * How many kinds of members of one namespace are looked at in one plan: each costs a look at every node.
 *
 * @module
 */
import type { Ahead } from "../gang/facts.ts";
import { mostKinds } from "../room/ground.ts";
import { type Demand, namespaceOf } from "./demand.ts";
import { neededOf, type Part } from "./part.ts";
import type { Waiting } from "./world.ts";

/** What was looked at of one namespace. */
interface Own {
  /** The group that was first. */
  readonly first: string;
  readonly kinds: Set<string>;
  /** By the rules of where their members may run, too. */
  weight: number;
}

/** To look at so many of these for a node costs as much as a kind without any. */
const rulesPerKind = 5;

/** A group, its demands, and the tree that they make. */
interface Looking {
  readonly group: Pick<Waiting, "id" | "shortSince">;
  readonly demands: readonly Pick<Demand, "facts">[];
  readonly part: Part;
}

/** Of one plan. */
export class Breadth {
  readonly #most: number;
  readonly #byNamespace = new Map<string, Own>();

  /** Among so many nodes. */
  constructor(nodes: number) {
    this.#most = mostKinds(nodes);
  }

  /** Behind whom a group waits because with it there would be too many; undefined: it is looked at. `now` is in ms since the epoch. */
  behind({ group, demands, part }: Looking, now: number): Ahead | undefined {
    if (neededOf(part) === 0) return undefined;
    const namespace = namespaceOf(demands);
    const own = this.#byNamespace.get(namespace) ??
      { first: group.id, kinds: new Set(), weight: 0 };
    this.#byNamespace.set(namespace, own);
    const { first, kinds } = own;
    const others = part.all.filter(({ key }) => !kinds.has(key));
    const weight = others.reduce((sum, { rules }) => sum + 1 + rules / rulesPerKind, own.weight);
    const isTooMuch = others.length > 0 && weight > this.#most;
    if (isTooMuch && first !== group.id) {
      const since = new Date(group.shortSince ?? now).toISOString();
      return { gang: first.split(",")[0]!, since };
    }
    // One that has too many by itself is in nobody's way.
    if (!isTooMuch) {
      own.weight = weight;
      for (const { key } of others) kinds.add(key);
    }
    return undefined;
  }
}
