/**
 * How many kinds of members, and topologies, of one namespace are looked at in one plan: each costs a look at every node.
 *
 * @module
 */
import type { Ahead } from "../gang/facts.ts";
import { mostKinds } from "../room/ground.ts";
import { type Demand, namespaceOf } from "./demand.ts";
import { keysOf, neededOf, type Part } from "./part.ts";
import type { Waiting } from "./world.ts";

/** What was looked at of one namespace. */
interface Own {
  /** The group that was first. */
  readonly first: string;
  readonly known: Set<string>;
  /** Of all that is known. */
  weight: number;
}

/** To look at so many rules of where members may run costs as much for each node as a kind without any. */
const rulesPerKind = 5;
/** To tell the domains of a level apart costs as much as so many. */
const kindsPerLevel = 3;

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
      { first: group.id, known: new Set(), weight: 0 };
    this.#byNamespace.set(namespace, own);
    const { first, known } = own;
    const others = [...weightsIn(part)].filter(([key]) => !known.has(key));
    const weight = others.reduce((sum, [, each]) => sum + each, own.weight);
    const isTooMuch = others.length > 0 && weight > this.#most;
    if (isTooMuch && first !== group.id) {
      const since = new Date(group.shortSince ?? now).toISOString();
      return { gang: first.split(",")[0]!, since };
    }
    // One that has too many by itself is in nobody's way.
    if (!isTooMuch) {
      own.weight = weight;
      for (const [key] of others) known.add(key);
    }
    return undefined;
  }
}

/** Its kinds and topologies, and what each weighs. */
function weightsIn(part: Part): Map<string, number> {
  const weights = new Map(part.all.map(({ key, rules }) => [key, 1 + rules / rulesPerKind]));
  for (const each of partsIn(part)) {
    const levels = keysOf(each) + Number(each.topology.slice !== undefined);
    if (levels > 0) weights.set(JSON.stringify(each.topology), kindsPerLevel * levels);
  }
  return weights;
}

function partsIn(part: Part): readonly Part[] {
  return part.is === "leaf" ? [part] : [part, ...part.parts.flatMap(partsIn)];
}
