/**
 * Which gangs of a gang group are needed, where it can do without some: a tree of composites, each with so many of its parts.
 *
 * @module
 */
import { type GangFacts, gangId, type Group } from "./facts.ts";
import type { Composite, CompositeFacts } from "./topology.ts";

/** A composite, and what is in it: gangs by `namespace/name`. */
export interface CompositeNode {
  readonly name: string;
  readonly min: number;
  readonly parts: readonly (CompositeNode | string)[];
}

/** Composites stay the same list until what declares them changes. */
const trees = new WeakMap<readonly CompositeFacts[], readonly CompositeNode[]>();
const told = new WeakMap<Composite, readonly CompositeFacts[]>();

/** What facts tell of a composite; undefined: all that is in it is needed. */
export function compositeFacts(
  composite: Composite | undefined,
): readonly CompositeFacts[] | undefined {
  if (!composite || !isSelective(composite)) return undefined;
  const known = told.get(composite) ?? factsWithin(composite, undefined);
  told.set(composite, known);
  return known;
}

/** Whether it, or one within it, can do without some of its parts. */
export function isSelective({ min, children }: Composite): boolean {
  return (min !== undefined && min < children.length) ||
    children.some((child) => typeof child !== "string" && isSelective(child));
}

function factsWithin(
  { name, min, children }: Composite,
  within: string | undefined,
): CompositeFacts[] {
  const gangs = children.filter((child) => typeof child === "string");
  const composites = children.filter((child) => typeof child !== "string");
  return [
    {
      name,
      ...(within !== undefined && { within }),
      ...(min !== undefined && { min }),
      gangs,
    },
    ...composites.flatMap((child) => factsWithin(child, name)),
  ];
}

/** The composites at the top. */
function treesOf(composites: readonly CompositeFacts[]): readonly CompositeNode[] {
  const known = trees.get(composites) ?? nodesWithin(undefined, composites);
  trees.set(composites, known);
  return known;
}

function nodesWithin(
  parent: string | undefined,
  composites: readonly CompositeFacts[],
): CompositeNode[] {
  return composites.filter(({ within }) => within === parent).map(({ name, min, gangs }) => {
    const parts = [...gangs, ...nodesWithin(name, composites)];
    return { name, min: min ?? parts.length, parts };
  });
}

/** All gangs of a part. */
export function gangsIn(part: CompositeNode | string): readonly string[] {
  return typeof part === "string" ? [part] : part.parts.flatMap(gangsIn);
}

/** The composite or the gang that is called so, and the composite that it is in. */
export function findPart(
  composites: readonly CompositeFacts[],
  called: string,
): { part: CompositeNode | string; within: CompositeNode } | undefined {
  const nameOf = (part: CompositeNode | string) => typeof part === "string" ? part : part.name;
  const findIn = (within: CompositeNode): ReturnType<typeof findPart> => {
    const part = within.parts.find((part) => nameOf(part) === called);
    if (part !== undefined) return { part, within };
    for (const each of within.parts) {
      const found = typeof each === "string" ? undefined : findIn(each);
      if (found) return found;
    }
    return undefined;
  };
  for (const top of treesOf(composites)) {
    const found = findIn(top);
    if (found) return found;
  }
  return undefined;
}

/** The gangs that a group names, and those that are reported. */
function topsOf({ gangs, composites = [] }: Group): (CompositeNode | string)[] {
  const tops = treesOf(composites);
  const inside = new Set(tops.flatMap(gangsIn));
  const named = gangs.flatMap((facts) => [gangId(facts.gang), ...facts.gang.groups ?? []]);
  return [...tops, ...new Set(named.filter((gang) => !inside.has(gang)))];
}

/** What a gang takes that can not be had. */
export const unreachable = 2 ** 40;

/** What a group needs at the least. */
export interface NeededParts {
  /** By `namespace/name`. */
  readonly gangs: readonly string[];
  /** Composites that have fewer parts than they need, by name. */
  readonly lacking: readonly string[];
}

/** What a group needs at the least: of each composite what takes least, as `cost` says of gangs that are reported. */
export function neededParts(group: Group, cost: (facts: GangFacts) => number): NeededParts {
  const known = new Map(group.gangs.map((facts) => [gangId(facts.gang), facts]));
  const cheapest = (part: CompositeNode | string): NeededParts & { cost: number } => {
    if (typeof part === "string") {
      const facts = known.get(part);
      return { gangs: [part], lacking: [], cost: facts ? cost(facts) : unreachable };
    }
    const { name, min, parts } = part;
    const each = parts.map(cheapest).sort((a, b) => a.cost - b.cost).slice(0, min);
    const missing = min - each.length;
    return {
      gangs: each.flatMap(({ gangs }) => gangs),
      lacking: [...missing > 0 ? [name] : [], ...each.flatMap(({ lacking }) => lacking)],
      cost: each.reduce((sum, { cost }) => sum + cost, missing * unreachable),
    };
  };
  const tops = topsOf(group).map(cheapest);
  return {
    gangs: tops.flatMap(({ gangs }) => gangs),
    lacking: tops.flatMap(({ lacking }) => lacking),
  };
}

/** The gangs that may be bound: those that are whole, in composites of which enough is. */
export function wholeGangs(
  group: Group,
  isWhole: (facts: GangFacts) => boolean,
): ReadonlySet<string> {
  const known = new Map(group.gangs.map((facts) => [gangId(facts.gang), facts]));
  const whole = (part: CompositeNode | string): readonly string[] | undefined => {
    if (typeof part === "string") {
      const facts = known.get(part);
      return facts && isWhole(facts) ? [part] : undefined;
    }
    const each = part.parts.flatMap((one) => {
      const gangs = whole(one);
      return gangs ? [gangs] : [];
    });
    return each.length >= part.min ? each.flat() : undefined;
  };
  const all = topsOf(group).map(whole);
  return new Set(all.every((gangs) => gangs !== undefined) ? all.flat() : []);
}
